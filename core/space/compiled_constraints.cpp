#include "core/space/compiled_constraints.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <variant>

#include "core/space/constraint_arithmetic.h"

namespace kernelscape::space {

/** Turns the constraints that can be violated, and the definitions that lead to them, into operations. */
class ConstraintCompiler {
 public:
  ConstraintCompiler(const ConstraintSystem& system, CompiledConstraints& compiled)
      : system_(system), compiled_(compiled), place_(system.variables().size(), none) {}

  void run() {
    const std::vector<bool> kept = kept_constraints();
    place_constants(kept);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (!kept[i]) continue;
      defines_ = system_.defines(i);
      std::visit(*this, system_.constraints()[i].rule);
    }
  }

  void operator()(const ProdConstraint& rule) {
    settle(rule.result, operate(Code::Multiply, places_of(rule.factors)));
  }
  void operator()(const SumConstraint& rule) {
    settle(rule.result, operate(Code::Add, places_of(rule.terms)));
  }
  void operator()(const EqConstraint& rule) { settle(rule.left, place_of(rule.right)); }
  void operator()(const LeConstraint& rule) {
    require(Code::RequireLessEqual, {place_of(rule.left), place_of(rule.right)});
  }
  void operator()(const InConstraint& rule) {
    const std::uint32_t variable = place_of(rule.variable);
    add({Code::RequireListed, variable, size_of(compiled_.listed_), size_of(rule.values)});
    compiled_.listed_.insert(compiled_.listed_.end(), rule.values.begin(), rule.values.end());
  }
  void operator()(const SelectConstraint& rule) {
    std::vector<std::uint32_t> places{place_of(rule.selector)};
    std::ranges::copy(places_of(rule.choices), std::back_inserter(places));
    settle(rule.result, operate(Code::Select, places));
  }
  void operator()(const ExpressionConstraint& rule) { require_true(rule.condition); }

 private:
  using Code = CompiledConstraints::Code;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  static std::uint32_t size_of(const auto& list) { return static_cast<std::uint32_t>(list.size()); }

  /** Compiles the constraints that can be violated, and the definitions that they need. */
  std::vector<bool> kept_constraints() const {
    std::vector<bool> kept(system_.constraints().size());
    std::vector<bool> needed(system_.variables().size());
    for (std::size_t i = kept.size(); i-- > 0;) {
      const Constraint& constraint = system_.constraints()[i];
      const std::optional<VariableId> left = left_side(constraint);
      kept[i] =
          !system_.defines(i) || needed[*left] || std::holds_alternative<SelectConstraint>(constraint.rule);
      if (!kept[i]) continue;
      if (left) needed[*left] = true;
      for (const VariableId id : operands(constraint)) needed[id] = true;
    }
    return kept;
  }

  /** Constants come first, so that one copy brings all of them. */
  void place_constants(const std::vector<bool>& kept) {
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (!kept[i]) continue;
      const Constraint& constraint = system_.constraints()[i];
      std::vector<VariableId> used = operands(constraint);
      if (const auto left = left_side(constraint)) used.push_back(*left);
      for (const VariableId id : used)
        if (const auto& constant = system_.variables()[id].constant) place_[id] = constant_place(*constant);
      if (const auto* rule = std::get_if<ExpressionConstraint>(&constraint.rule))
        place_constants_of(rule->condition);
    }
    compiled_.places_ = compiled_.constants_.size();
  }

  void place_constants_of(const Expression& expression) {
    if (expression.kind == Expression::Kind::Constant) constant_place(expression.constant);
    for (const Expression& operand : expression.operands) place_constants_of(operand);
  }

  std::uint32_t constant_place(std::int64_t value) {
    const auto [entry, added] = constants_.try_emplace(value, size_of(compiled_.constants_));
    if (added) compiled_.constants_.push_back(value);
    return entry->second;
  }

  std::uint32_t new_place() { return static_cast<std::uint32_t>(compiled_.places_++); }

  void add(const CompiledConstraints::Operation& operation) { compiled_.operations_.push_back(operation); }

  /** An element is read where it is needed first. */
  std::uint32_t place_of(VariableId id) {
    std::uint32_t& place = place_[id];
    if (place != none) return place;
    place = new_place();
    const KnobElement& element = *system_.variables()[id].element;
    add({Code::Load, place, element.knob, static_cast<std::uint32_t>(element.position)});
    return place;
  }

  std::vector<std::uint32_t> places_of(const std::vector<VariableId>& ids) {
    std::vector<std::uint32_t> places;
    for (const VariableId id : ids) places.push_back(place_of(id));
    return places;
  }

  void add(Code code, std::uint32_t result, const std::vector<std::uint32_t>& places) {
    add({code, result, size_of(compiled_.operands_), size_of(places)});
    compiled_.operands_.insert(compiled_.operands_.end(), places.begin(), places.end());
  }

  std::uint32_t operate(Code code, const std::vector<std::uint32_t>& places) {
    const std::uint32_t result = new_place();
    add(code, result, places);
    return result;
  }

  void require(Code code, const std::vector<std::uint32_t>& places) { add(code, 0, places); }

  /** If the constraint defines its left side, the value is stored there. */
  void settle(VariableId left, std::uint32_t value) {
    if (defines_)
      place_[left] = value;
    else
      require(Code::RequireEqual, {place_of(left), value});
  }

  /** Each operand of an AND is a requirement of its own, so that the first that fails is the last one seen.
   */
  void require_true(const Expression& condition) {
    using enum Expression::Kind;
    if (condition.kind == And)
      for (const Expression& operand : condition.operands) require_true(operand);
    else if (condition.kind == LessEqual || condition.kind == Equal)
      require(condition.kind == Equal ? Code::RequireEqual : Code::RequireLessEqual,
              {value_of(condition.operands[0]), value_of(condition.operands[1])});
    else
      require(Code::RequireTrue, {value_of(condition)});
  }

  std::uint32_t value_of(const Expression& expression) {
    if (expression.kind == Expression::Kind::Constant) return constants_.at(expression.constant);
    if (expression.kind == Expression::Kind::Variable) return place_of(expression.variable);
    std::vector<std::uint32_t> places;
    for (const Expression& operand : expression.operands) places.push_back(value_of(operand));
    return operate(code_of(expression.kind), places);
  }

  static Code code_of(Expression::Kind kind) {
    using enum Expression::Kind;
    switch (kind) {
      case Constant:
      case Variable:
        break;
      case Add:
        return Code::Add;
      case Subtract:
        return Code::Subtract;
      case Multiply:
        return Code::Multiply;
      case Divide:
        return Code::Divide;
      case Modulo:
        return Code::Modulo;
      case Negate:
        return Code::Negate;
      case Minimum:
        return Code::Minimum;
      case Maximum:
        return Code::Maximum;
      case Equal:
        return Code::Equal;
      case NotEqual:
        return Code::NotEqual;
      case Less:
        return Code::Less;
      case LessEqual:
        return Code::LessEqual;
      case And:
        return Code::And;
      case Or:
        return Code::Or;
      case Not:
        return Code::Not;
    }
    return Code::RequireTrue;
  }

  const ConstraintSystem& system_;
  CompiledConstraints& compiled_;
  std::vector<std::uint32_t> place_;  ///< per variable
  std::map<std::int64_t, std::uint32_t> constants_;
  bool defines_ = false;
};

CompiledConstraints::CompiledConstraints(const ConstraintSystem& system) {
  ConstraintCompiler(system, *this).run();
}

std::int64_t CompiledConstraints::compute(Code code, std::span<const std::uint32_t> operands,
                                          const std::int64_t* values) {
  const auto operand = [&](std::size_t i) { return values[operands[i]]; };
  const auto value_at = [&](std::uint32_t place) { return values[place]; };
  const auto is_true = [&](std::uint32_t place) { return values[place] != 0; };
  switch (code) {
    case Code::Multiply:
      return product_of_values(operands, values);
    case Code::Add:
      return sum_of_values(operands, values);
    case Code::Subtract:
      return saturate(base::int128{operand(0)} - operand(1));
    case Code::Divide:
      return floor_divide(operand(0), operand(1));
    case Code::Modulo:
      return floor_modulo(operand(0), operand(1));
    case Code::Negate:
      return saturate(-base::int128{operand(0)});
    case Code::Minimum:
      return value_at(*std::ranges::min_element(operands, {}, value_at));
    case Code::Maximum:
      return value_at(*std::ranges::max_element(operands, {}, value_at));
    case Code::Equal:
    case Code::RequireEqual:
      return operand(0) == operand(1);
    case Code::NotEqual:
      return operand(0) != operand(1);
    case Code::Less:
      return operand(0) < operand(1);
    case Code::LessEqual:
    case Code::RequireLessEqual:
      return operand(0) <= operand(1);
    case Code::And:
      return std::ranges::all_of(operands, is_true);
    case Code::Or:
      return std::ranges::any_of(operands, is_true);
    case Code::Not:
      return operand(0) == 0;
    case Code::RequireTrue:
      return operand(0) != 0;
    case Code::Load:
    case Code::Select:
    case Code::RequireListed:
      break;
  }
  return 0;
}

bool CompiledConstraints::run(const Operation& operation, std::int64_t* values) const {
  if (operation.code == Code::RequireListed) {
    const std::span listed(listed_.data() + operation.first, operation.count);
    return std::ranges::find(listed, values[operation.result]) != listed.end();
  }
  const std::span operands(operands_.data() + operation.first, operation.count);
  if (operation.code == Code::Select) {
    const std::int64_t selected = values[operands[0]];
    if (selected < 0 || selected >= static_cast<std::int64_t>(operands.size()) - 1) return false;
    values[operation.result] = values[operands[static_cast<std::size_t>(selected) + 1]];
    return true;
  }
  const std::int64_t value = compute(operation.code, operands, values);
  if (operation.code >= Code::RequireTrue) return value != 0;
  values[operation.result] = value;
  return true;
}

bool CompiledConstraints::satisfied(const std::vector<Knob>& knobs,
                                    const Configuration& configuration) const {
  // Not initialised on purpose: every value is written before an operation reads it.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): see above
  std::array<std::int64_t, 256> few;
  static thread_local std::vector<std::int64_t> many;
  std::int64_t* values = few.data();
  if (places_ > few.size()) {
    if (many.size() < places_) many.resize(places_);
    values = many.data();
  }
  std::ranges::copy(constants_, values);
  for (const Operation& operation : operations_) {
    if (operation.code == Code::Load)
      values[operation.result] = knobs[operation.first].element(configuration.indices[operation.first],
                                                                static_cast<int>(operation.count));
    else if (!run(operation, values))
      return false;
  }
  return true;
}

}  // namespace kernelscape::space
