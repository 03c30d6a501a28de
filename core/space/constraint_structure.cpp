#include <algorithm>
#include <type_traits>

#include "core/space/constraint.h"

namespace kernelscape::space {
namespace {

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

}  // namespace kernelscape::space
