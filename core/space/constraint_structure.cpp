#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "core/space/constraint.h"

namespace kernelscape::space {
namespace {

constexpr std::size_t max_entries = 20'000;  // variables, constraints: far over any real system

template <typename AnyExpression, typename Visit>
void visit_variables(AnyExpression& expression, const Visit& visit) {
  if (expression.kind == Expression::Kind::Variable) visit(expression.variable);
  for (auto& operand : expression.operands) visit_variables(operand, visit);
}

/** Calls `left` on what PROD, SUM, EQ and SELECT may define, `operand` on every other variable. */
template <typename AnyConstraint, typename Left, typename Operand>
void visit_variables(AnyConstraint& constraint, const Left& left, const Operand& operand) {
  const auto visit_rule = [&]<typename Rule>(Rule& rule) {
    using Kind = std::remove_const_t<Rule>;
    if constexpr (std::is_same_v<Kind, ProdConstraint>) {
      left(rule.result);
      std::ranges::for_each(rule.factors, operand);
    } else if constexpr (std::is_same_v<Kind, SumConstraint>) {
      left(rule.result);
      std::ranges::for_each(rule.terms, operand);
    } else if constexpr (std::is_same_v<Kind, EqConstraint>) {
      left(rule.left);
      operand(rule.right);
    } else if constexpr (std::is_same_v<Kind, LeConstraint>) {
      operand(rule.left);
      operand(rule.right);
    } else if constexpr (std::is_same_v<Kind, InConstraint>) {
      operand(rule.variable);
    } else if constexpr (std::is_same_v<Kind, SelectConstraint>) {
      left(rule.result);
      operand(rule.selector);
      std::ranges::for_each(rule.choices, operand);
    } else {
      static_assert(std::is_same_v<Kind, ExpressionConstraint>);
      visit_variables(rule.condition, operand);
    }
  };
  std::visit(visit_rule, constraint.rule);
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

std::optional<VariableId> left_side(const Constraint& constraint) {
  std::optional<VariableId> left;
  visit_variables(constraint, [&](VariableId id) { left = id; }, [](VariableId) {});
  return left;
}

std::vector<VariableId> operands(const Constraint& constraint) {
  std::vector<VariableId> found;
  visit_variables(constraint, [](VariableId) {}, [&](VariableId id) { found.push_back(id); });
  return found;
}

void rename_variables(Constraint& constraint, const std::vector<VariableId>& names) {
  const auto rename = [&](VariableId& id) { id = names[id]; };
  visit_variables(constraint, rename, rename);
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

}  // namespace kernelscape::space
