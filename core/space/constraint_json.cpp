#include "core/space/constraint_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/visible_text.h"
#include "core/space/search_space.h"

namespace kernelscape::space {
namespace {

/** In the order of Expression::Kind. */
constexpr std::array<std::string_view, 17> operator_names{
    "constant", "variable", "add",       "subtract", "multiply",   "divide", "modulo", "negate", "minimum",
    "maximum",  "equal",    "not_equal", "less",     "less_equal", "and",    "or",     "not"};

std::unexpected<Error> malformed(const std::string& what) {
  return fail(ErrorCode::InvalidArgument, "constraints in this JSON: " + what);
}

Json expression_to_json(const Expression& expression) {
  if (expression.kind == Expression::Kind::Constant) return {{"constant", expression.constant}};
  if (expression.kind == Expression::Kind::Variable) return {{"variable", expression.variable}};
  Json operands = Json::array();
  for (const Expression& operand : expression.operands) operands.push_back(expression_to_json(operand));
  return {{"operator", operator_names[static_cast<std::size_t>(expression.kind)]},
          {"operands", std::move(operands)}};
}

struct RuleToJson {
  Json operator()(const ProdConstraint& rule) const {
    return {{"kind", "prod"}, {"result", rule.result}, {"factors", rule.factors}};
  }
  Json operator()(const SumConstraint& rule) const {
    return {{"kind", "sum"}, {"result", rule.result}, {"terms", rule.terms}};
  }
  Json operator()(const EqConstraint& rule) const {
    return {{"kind", "eq"}, {"left", rule.left}, {"right", rule.right}};
  }
  Json operator()(const LeConstraint& rule) const {
    return {{"kind", "le"}, {"left", rule.left}, {"right", rule.right}};
  }
  Json operator()(const InConstraint& rule) const {
    return {{"kind", "in"}, {"variable", rule.variable}, {"values", rule.values}};
  }
  Json operator()(const SelectConstraint& rule) const {
    return {
        {"kind", "select"}, {"result", rule.result}, {"selector", rule.selector}, {"choices", rule.choices}};
  }
  Json operator()(const ExpressionConstraint& rule) const {
    return {{"kind", "expression"}, {"condition", expression_to_json(rule.condition)}};
  }
};

/** Reads a rule's fields; after the first that is missing or of another type, `error` says which. */
class FieldReader {
 public:
  explicit FieldReader(const Json& json) : json_(json) {}

  std::string error;
  std::size_t parts = 0;  ///< names, numbers and operators

  VariableId variable(std::string_view key) { return to_variable(field(key), key); }

  std::vector<VariableId> variables(std::string_view key) {
    std::vector<VariableId> ids;
    for (const Json& item : list(key)) ids.push_back(to_variable(&item, key));
    return ids;
  }

  std::vector<std::int64_t> integers(std::string_view key) {
    std::vector<std::int64_t> values;
    for (const Json& item : list(key)) values.push_back(to_integer(&item, key));
    return values;
  }

  Expression expression(const Json* json, int depth = 0) {
    Expression result;
    if (!json || !json->is_object() || depth > deepest_expression) {
      wrong("condition");
    } else if (const Json* constant = member_of(*json, "constant")) {
      result.constant = to_integer(constant, "constant");
    } else if (const Json* variable = member_of(*json, "variable")) {
      result.kind = Expression::Kind::Variable;
      result.variable = to_variable(variable, "variable");
    } else {
      read_operator(*json, depth, result);
    }
    return result;
  }

  const Json* field(std::string_view key) const { return member_of(json_, key); }

 private:
  void wrong(std::string_view key) {
    if (error.empty()) error = fmt::format("\"{}\" is missing, of another type or out of range", key);
  }

  const Json& list(std::string_view key) {
    static const Json none = Json::array();
    const Json* found = field(key);
    if (found && found->is_array()) return *found;
    wrong(key);
    return none;
  }

  std::int64_t to_integer(const Json* json, std::string_view key) {
    ++parts;
    const auto value = json ? integer_of(*json) : std::nullopt;
    if (!value) wrong(key);
    return value.value_or(0);
  }

  VariableId to_variable(const Json* json, std::string_view key) {
    const std::int64_t id = to_integer(json, key);
    if (id >= 0 && id < (std::int64_t{1} << 31)) return static_cast<VariableId>(id);
    wrong(key);
    return 0;
  }

  void read_operator(const Json& json, int depth, Expression& result) {
    const Json* name = member_of(json, "operator");
    const Json* operands = member_of(json, "operands");
    const auto found = name && name->is_string()
                           ? std::ranges::find(operator_names, name->get_ref<const std::string&>())
                           : operator_names.end();
    // The first two names are leaves, written in another way.
    if (found == operator_names.end() || found - operator_names.begin() < 2 || !operands ||
        !operands->is_array())
      return wrong("operator");
    ++parts;
    result.kind = static_cast<Expression::Kind>(found - operator_names.begin());
    for (const Json& operand : *operands) result.operands.push_back(expression(&operand, depth + 1));
  }

  const Json& json_;
};

/** @param parts what all rules so far have; this one's are added */
Result<Constraint> constraint_from_json(const Json& json, std::size_t& parts) {
  FieldReader read(json);
  Constraint constraint;
  const Json* kind = read.field("kind");
  const std::string name = kind && kind->is_string() ? kind->get<std::string>() : std::string();
  if (name == "prod")
    constraint.rule = ProdConstraint{read.variable("result"), read.variables("factors")};
  else if (name == "sum")
    constraint.rule = SumConstraint{read.variable("result"), read.variables("terms")};
  else if (name == "eq")
    constraint.rule = EqConstraint{read.variable("left"), read.variable("right")};
  else if (name == "le")
    constraint.rule = LeConstraint{read.variable("left"), read.variable("right")};
  else if (name == "in")
    constraint.rule = InConstraint{read.variable("variable"), read.integers("values")};
  else if (name == "select")
    constraint.rule =
        SelectConstraint{read.variable("result"), read.variable("selector"), read.variables("choices")};
  else if (name == "expression")
    constraint.rule = ExpressionConstraint{read.expression(read.field("condition"))};
  else
    return malformed(fmt::format("there is no kind of constraint {}", base::quoted_line(name)));
  if (const Json* reason = read.field("reason")) {
    if (!reason->is_string()) return malformed("\"reason\" is not a text");
    constraint.reason = reason->get<std::string>();
  }
  if (!read.error.empty()) return malformed(fmt::format("{}: {}", name, read.error));
  parts += read.parts;
  if (parts > max_constraint_parts)
    return malformed(fmt::format("they have more than {} names, numbers and operators in their rules",
                                 max_constraint_parts));
  return constraint;
}

Status add_variable(ConstraintSystem& system, const Json& json) {
  const Json* name = member_of(json, "name");
  if (!name || !name->is_string()) return malformed("a variable has no name");
  const auto text = name->get<std::string>();
  if (const Json* knob = member_of(json, "knob")) {
    const Json* position = member_of(json, "position");
    const auto knob_number = integer_of(*knob);
    const auto element = position ? integer_of(*position) : 0;
    constexpr std::int64_t most = 1LL << 30;
    if (!knob_number || *knob_number < 0 || *knob_number > most || !element || *element < 0 ||
        *element > most)
      return malformed(
          fmt::format("variable {} has a knob or position that is out of range", base::quoted_line(text)));
    system.add_element(text, static_cast<std::uint32_t>(*knob_number), static_cast<int>(*element));
  } else if (const Json* constant = member_of(json, "constant")) {
    const auto value = integer_of(*constant);
    if (!value)
      return malformed(
          fmt::format("variable {} has a constant that is not a whole number", base::quoted_line(text)));
    system.add_constant(text, *value);
  } else {
    system.add_derived(text);
  }
  return {};
}

}  // namespace

Json to_json(const ConstraintSystem& constraints) {
  Json variables = Json::array();
  for (const Variable& variable : constraints.variables()) {
    Json json{{"name", variable.name}};
    if (variable.element) {
      json["knob"] = variable.element->knob;
      json["position"] = variable.element->position;
    } else if (variable.constant) {
      json["constant"] = *variable.constant;
    }
    variables.push_back(std::move(json));
  }
  Json rules = Json::array();
  for (const Constraint& constraint : constraints.constraints()) {
    Json json = std::visit(RuleToJson{}, constraint.rule);
    if (!constraint.reason.empty()) json["reason"] = constraint.reason;
    rules.push_back(std::move(json));
  }
  return {{"variables", std::move(variables)}, {"rules", std::move(rules)}};
}

Result<ConstraintSystem> constraints_from_json(const Json& json) {
  const Json* variables = member_of(json, "variables");
  const Json* rules = member_of(json, "rules");
  if (!variables || !variables->is_array() || !rules || !rules->is_array())
    return malformed("it is not an object with \"variables\" and \"rules\"");
  if (variables->size() > max_constraint_parts)
    return malformed(fmt::format("they have over {} variables", max_constraint_parts));
  ConstraintSystem system;
  for (const Json& variable : *variables) TRY(add_variable(system, variable));
  std::size_t parts = 0;
  for (const Json& rule : *rules) {
    Constraint constraint = TRY(constraint_from_json(rule, parts));
    system.add(std::move(constraint));
  }
  TRY(system.validate());
  return system;
}

std::string constraints_to_json(const ConstraintSystem& constraints) { return to_text(to_json(constraints)); }

Result<ConstraintSystem> constraints_from_json(std::string_view json) {
  return constraints_from_json(parse_json(json));
}

}  // namespace kernelscape::space
