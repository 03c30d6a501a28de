#include "core/space/constraint.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/space/constraint_arithmetic.h"
#include "core/space/constraint_text.h"

namespace kernelscape::space {
namespace {

constexpr std::size_t max_entries = 20'000;  // variables, constraints: far over any real system

using Values = const std::int64_t*;

std::int64_t value_of(const Expression& expression, Values values);

std::int64_t fold(const Expression& expression, Values values) {
  using enum Expression::Kind;
  const auto& operands = expression.operands;
  base::int128 total = expression.kind == Add        ? 0
                       : expression.kind == Multiply ? 1
                                                     : value_of(operands[0], values);
  for (const Expression& operand : operands) {
    const std::int64_t value = value_of(operand, values);
    if (expression.kind == Add)
      total += value;
    else if (expression.kind == Multiply)
      total = wide_multiply(total, value);
    else
      total = expression.kind == Minimum ? std::min<base::int128>(total, value)
                                         : std::max<base::int128>(total, value);
  }
  return saturate(total);
}

std::int64_t value_of(const Expression& expression, Values values) {
  using enum Expression::Kind;
  const auto& operands = expression.operands;
  const auto operand = [&](std::size_t i) { return value_of(operands[i], values); };
  const auto is_true = [&](const Expression& of) { return value_of(of, values) != 0; };
  switch (expression.kind) {
    case Constant:
      return expression.constant;
    case Variable:
      return values[expression.variable];
    case Add:
    case Multiply:
    case Minimum:
    case Maximum:
      return fold(expression, values);
    case Subtract:
      return saturate(base::int128{operand(0)} - operand(1));
    case Divide:
      return floor_divide(operand(0), operand(1));
    case Modulo:
      return floor_modulo(operand(0), operand(1));
    case Negate:
      return saturate(-base::int128{operand(0)});
    case Equal:
      return operand(0) == operand(1);
    case NotEqual:
      return operand(0) != operand(1);
    case Less:
      return operand(0) < operand(1);
    case LessEqual:
      return operand(0) <= operand(1);
    case And:
      return std::ranges::all_of(operands, is_true);
    case Or:
      return std::ranges::any_of(operands, is_true);
    case Not:
      return operand(0) == 0;
  }
  return 0;
}

/** Assigns the left side if the constraint defines it; otherwise checks whether the constraint holds. */
struct Application {
  bool defines;
  std::int64_t* values;

  bool settle(VariableId left, std::int64_t value) const {
    if (!defines) return values[left] == value;
    values[left] = value;
    return true;
  }
  bool operator()(const ProdConstraint& rule) const {
    return settle(rule.result, product_of_values(rule.factors, values));
  }
  bool operator()(const SumConstraint& rule) const {
    return settle(rule.result, sum_of_values(rule.terms, values));
  }
  bool operator()(const EqConstraint& rule) const { return settle(rule.left, values[rule.right]); }
  bool operator()(const LeConstraint& rule) const { return values[rule.left] <= values[rule.right]; }
  bool operator()(const InConstraint& rule) const {
    return std::ranges::find(rule.values, values[rule.variable]) != rule.values.end();
  }
  bool operator()(const SelectConstraint& rule) const {
    const std::int64_t selected = values[rule.selector];
    const bool inside = selected >= 0 && selected < static_cast<std::int64_t>(rule.choices.size());
    const std::int64_t value = inside ? values[rule.choices[static_cast<std::size_t>(selected)]] : 0;
    return settle(rule.result, value) && inside;
  }
  bool operator()(const ExpressionConstraint& rule) const { return value_of(rule.condition, values) != 0; }
};

void read_leaves(const std::vector<Variable>& variables, const std::vector<Knob>& knobs,
                 const Configuration& configuration, std::int64_t* values) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (const auto& element = variables[i].element)
      values[i] = knobs[element->knob].element(configuration.indices[element->knob], element->position);
    else if (variables[i].constant)
      values[i] = *variables[i].constant;
  }
}

/** Operands that a node of this kind takes. */
std::pair<std::size_t, std::size_t> arity(Expression::Kind kind) {
  using enum Expression::Kind;
  constexpr std::size_t any = ~std::size_t{0};
  switch (kind) {
    case Constant:
    case Variable:
      return {0, 0};
    case Negate:
    case Not:
      return {1, 1};
    case Add:
    case Multiply:
    case Minimum:
    case Maximum:
    case And:
    case Or:
      return {1, any};
    default:
      return {2, 2};
  }
}

Status check_expression(const Expression& expression, int depth) {
  if (depth > deepest_expression)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("an expression is over {} levels deep", deepest_expression));
  const auto [fewest, most] = arity(expression.kind);
  if (expression.operands.size() < fewest || expression.operands.size() > most)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("a node of an expression has {} operands", expression.operands.size()));
  for (const Expression& operand : expression.operands) TRY(check_expression(operand, depth + 1));
  return {};
}

std::string label(const Constraint& constraint, std::size_t number) {
  return constraint.reason.empty() ? fmt::format("constraint {}", number)
                                   : fmt::format("constraint {} ({})", number, constraint.reason);
}

}  // namespace

bool is_boolean(Expression::Kind kind) { return kind >= Expression::Kind::Equal; }

VariableId ConstraintSystem::add_variable(Variable variable) {
  defined_.push_back(variable.derived() ? 0 : 1);
  variables_.push_back(std::move(variable));
  return static_cast<VariableId>(variables_.size() - 1);
}

VariableId ConstraintSystem::add_element(std::string name, std::uint32_t knob, int position) {
  return add_variable({std::move(name), KnobElement{knob, position}, std::nullopt});
}

VariableId ConstraintSystem::add_constant(std::string name, std::int64_t value) {
  return add_variable({std::move(name), std::nullopt, value});
}

VariableId ConstraintSystem::add_derived(std::string name) {
  return add_variable({std::move(name), std::nullopt, std::nullopt});
}

void ConstraintSystem::add(Constraint constraint) {
  const std::optional<VariableId> left = left_side(constraint);
  const bool defines = left && *left < defined_.size() && !defined_[*left];
  if (defines) defined_[*left] = 1;
  defines_.push_back(defines ? 1 : 0);
  constraints_.push_back(std::move(constraint));
}

void ConstraintSystem::append(const ConstraintSystem& other) {
  std::vector<VariableId> moved;
  for (const Variable& variable : other.variables_) {
    const auto same = std::ranges::find(variables_, variable);
    // Derived variables of one name may be defined differently: each system keeps its own.
    if (variable.derived() || same == variables_.end())
      moved.push_back(add_variable(variable));
    else
      moved.push_back(static_cast<VariableId>(same - variables_.begin()));
  }
  for (const Constraint& constraint : other.constraints_) {
    Constraint copy = constraint;
    rename_variables(copy, moved);
    add(std::move(copy));
  }
}

ConstraintSystem ConstraintSystem::with_constraints(const std::vector<std::size_t>& kept) const {
  ConstraintSystem part;
  for (const Variable& variable : variables_) part.add_variable(variable);
  for (const std::size_t constraint : kept) part.add(constraints_[constraint]);
  return part;
}

std::optional<VariableId> ConstraintSystem::find(std::string_view name) const {
  const auto found = std::ranges::find(variables_, name, &Variable::name);
  if (found == variables_.end()) return std::nullopt;
  return static_cast<VariableId>(found - variables_.begin());
}

Evaluation ConstraintSystem::evaluate(const std::vector<Knob>& knobs,
                                      const Configuration& configuration) const {
  Evaluation evaluation;
  evaluation.values.resize(variables_.size());
  read_leaves(variables_, knobs, configuration, evaluation.values.data());
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    const Application apply{defines_[i] != 0, evaluation.values.data()};
    if (!std::visit(apply, constraints_[i].rule)) evaluation.violated.push_back(i);
  }
  return evaluation;
}

bool ConstraintSystem::satisfied(const std::vector<Knob>& knobs, const Configuration& configuration) const {
  return evaluate(knobs, configuration).violated.empty();
}

Status ConstraintSystem::validate() const {
  if (variables_.size() > max_entries || constraints_.size() > max_entries)
    return fail(ErrorCode::InvalidArgument, fmt::format("over {} variables or constraints", max_entries));
  std::vector<bool> known(variables_.size());
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (variables_[i].element && variables_[i].constant)
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("variable \"{}\" is both a knob's element and a constant", variables_[i].name));
    known[i] = !variables_[i].derived();
  }
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    const Constraint& constraint = constraints_[i];
    if (const auto* rule = std::get_if<ExpressionConstraint>(&constraint.rule))
      if (Status checked = check_expression(rule->condition, 0); !checked)
        return fail(ErrorCode::InvalidArgument, label(constraint, i) + ": " + checked.error().message);
    std::vector<VariableId> used = operands(constraint);
    if (const auto left = left_side(constraint); left && !defines(i)) used.push_back(*left);
    for (const VariableId id : used) {
      if (id >= variables_.size())
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("{}: there is no variable {}", label(constraint, i), id));
      if (!known[id])
        return fail(
            ErrorCode::InvalidArgument,
            fmt::format("{}: \"{}\" is used before it is defined", label(constraint, i), variables_[id].name),
            "define it as the left side of an earlier PROD, SUM, EQ or SELECT");
    }
    if (defines(i)) known[*left_side(constraint)] = true;
  }
  return {};
}

Status ConstraintSystem::validate(const std::vector<Knob>& knobs) const {
  for (const Variable& variable : variables_) {
    if (!variable.element) continue;
    const auto [knob, position] = *variable.element;
    if (knob >= knobs.size())
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("variable \"{}\" names knob {} of {}", variable.name, knob, knobs.size()));
    if (position < 0 || position >= knobs[knob].element_count())
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("variable \"{}\" names element {} of knob \"{}\", which has {}", variable.name,
                              position, knobs[knob].name(), knobs[knob].element_count()));
  }
  return validate();
}

std::string ConstraintSystem::describe(std::size_t constraint) const {
  return constraint_text(constraints_[constraint], variables_);
}

std::string ConstraintSystem::explain(std::size_t constraint, const Evaluation& evaluation) const {
  return violation_text(constraints_[constraint], variables_, evaluation.values);
}

}  // namespace kernelscape::space
