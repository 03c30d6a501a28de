#include "core/space/value_range.h"

#include <algorithm>
#include <array>

#include "core/space/saturating.h"

namespace kernelscape::space {
namespace {

using Ranges = std::span<const ValueRange>;

constexpr ValueRange always{1, 1};
constexpr ValueRange never{0, 0};
constexpr ValueRange unknown{0, 1};

ValueRange hull(const ValueRange& a, const ValueRange& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

ValueRange equal(const ValueRange& a, const ValueRange& b) {
  if (a.high < b.low || b.high < a.low) return never;
  return a.single() && b.single() ? always : unknown;
}

ValueRange less(const ValueRange& a, const ValueRange& b) {
  if (a.high < b.low) return always;
  return a.low >= b.high ? never : unknown;
}

ValueRange less_equal(const ValueRange& a, const ValueRange& b) {
  if (a.high <= b.low) return always;
  return a.low > b.high ? never : unknown;
}

Truth truth(const ValueRange& range) {
  if (range == never) return Truth::False;
  return range.low > 0 || range.high < 0 ? Truth::True : Truth::Unknown;
}

ValueRange negate(Truth of) { return of == Truth::Unknown ? unknown : of == Truth::True ? never : always; }

/** Quotients are extreme where both sides are at an end of what is left of 0 or right of it. */
ValueRange divide(const ValueRange& a, const ValueRange& b) {
  std::array<std::int64_t, 4> divisors{};
  std::size_t count = 0;
  const auto add = [&](std::int64_t low, std::int64_t high) {
    if (low > high) return;
    divisors[count++] = low;
    divisors[count++] = high;
  };
  add(b.low, std::min<std::int64_t>(b.high, -1));
  add(std::max<std::int64_t>(b.low, 1), b.high);
  const bool by_zero = b.low <= 0 && b.high >= 0;
  ValueRange result =
      by_zero ? never : ValueRange{floor_divide(a.low, divisors[0]), floor_divide(a.low, divisors[0])};
  for (std::size_t i = 0; i < count; ++i)
    for (const std::int64_t end : {a.low, a.high}) {
      const std::int64_t quotient = floor_divide(end, divisors[i]);
      result = hull(result, {quotient, quotient});
    }
  return result;
}

ValueRange modulo(const ValueRange& a, const ValueRange& b) {
  if (a.single() && b.single()) {
    const std::int64_t rest = floor_modulo(a.low, b.low);
    return {rest, rest};
  }
  if (a.low >= 0 && b.low > a.high) return a;
  ValueRange result = never;
  if (b.high > 0) result.high = a.low >= 0 ? std::min(a.high, b.high - 1) : b.high - 1;
  if (b.low < 0) result.low = a.high <= 0 ? std::max(a.low, b.low + 1) : b.low + 1;
  return result;
}

ValueRange range_of(const Expression& expression, Ranges variables);

ValueRange fold(const Expression& expression, Ranges variables) {
  using enum Expression::Kind;
  const ValueRange first = range_of(expression.operands[0], variables);
  WideRange total{first.low, first.high};
  for (std::size_t i = 1; i < expression.operands.size(); ++i) {
    const ValueRange next = range_of(expression.operands[i], variables);
    if (expression.kind == Add)
      total = {total.low + next.low, total.high + next.high};
    else if (expression.kind == Multiply)
      total = multiply(total, {next.low, next.high});
    else if (expression.kind == Minimum)
      total = {std::min<base::int128>(total.low, next.low), std::min<base::int128>(total.high, next.high)};
    else
      total = {std::max<base::int128>(total.low, next.low), std::max<base::int128>(total.high, next.high)};
  }
  return total.saturated();
}

/** And, or Or where `decisive` is true: one decisive operand decides. */
ValueRange connect(const Expression& expression, Truth decisive, Ranges variables) {
  bool open = false;
  for (const Expression& operand : expression.operands) {
    const Truth one = truth(range_of(operand, variables));
    if (one == decisive) return decisive == Truth::True ? always : never;
    open = open || one == Truth::Unknown;
  }
  if (open) return unknown;
  return decisive == Truth::True ? never : always;
}

ValueRange range_of(const Expression& expression, Ranges variables) {
  using enum Expression::Kind;
  const auto operand = [&](std::size_t i) { return range_of(expression.operands[i], variables); };
  switch (expression.kind) {
    case Constant:
      return {expression.constant, expression.constant};
    case Variable:
      return variables[expression.variable];
    case Add:
    case Multiply:
    case Minimum:
    case Maximum:
      return fold(expression, variables);
    case Subtract: {
      const ValueRange a = operand(0);
      const ValueRange b = operand(1);
      return {saturate(base::int128{a.low} - b.high), saturate(base::int128{a.high} - b.low)};
    }
    case Divide:
      return divide(operand(0), operand(1));
    case Modulo:
      return modulo(operand(0), operand(1));
    case Negate: {
      const ValueRange a = operand(0);
      return {saturate(-base::int128{a.high}), saturate(-base::int128{a.low})};
    }
    case Equal:
      return equal(operand(0), operand(1));
    case NotEqual:
      return negate(truth(equal(operand(0), operand(1))));
    case Less:
      return less(operand(0), operand(1));
    case LessEqual:
      return less_equal(operand(0), operand(1));
    case And:
      return connect(expression, Truth::False, variables);
    case Or:
      return connect(expression, Truth::True, variables);
    case Not:
      return negate(truth(operand(0)));
  }
  return never;
}

ValueRange range_of_sum(std::span<const VariableId> terms, Ranges variables) {
  WideRange total{0, 0};
  for (const VariableId term : terms)
    total = {total.low + variables[term].low, total.high + variables[term].high};
  return total.saturated();
}

/** Returns the valid part of the selector's range; empty (low > high) if no value is valid. */
ValueRange choosing(const SelectConstraint& rule, Ranges variables) {
  const ValueRange selector = variables[rule.selector];
  return {std::max<std::int64_t>(selector.low, 0),
          std::min(selector.high, static_cast<std::int64_t>(rule.choices.size()) - 1)};
}

ValueRange range_of_selected(const SelectConstraint& rule, Ranges variables) {
  const ValueRange selector = choosing(rule, variables);
  if (selector.low > selector.high) return never;
  ValueRange result = variables[rule.choices[static_cast<std::size_t>(selector.low)]];
  for (std::int64_t i = selector.low + 1; i <= selector.high; ++i)
    result = hull(result, variables[rule.choices[static_cast<std::size_t>(i)]]);
  return result;
}

ValueRange contained(const InConstraint& rule, const ValueRange& range) {
  const auto inside = [&](std::int64_t value) { return value >= range.low && value <= range.high; };
  if (std::ranges::none_of(rule.values, inside)) return never;
  return range.single() ? always : unknown;
}

}  // namespace

WideRange multiply(const WideRange& a, const WideRange& b) {
  if (a.low >= 0 && b.low >= 0) return {wide_multiply(a.low, b.low), wide_multiply(a.high, b.high)};
  const std::array corners{wide_multiply(a.low, b.low), wide_multiply(a.low, b.high),
                           wide_multiply(a.high, b.low), wide_multiply(a.high, b.high)};
  const auto [low, high] = std::ranges::minmax(corners);
  return {low, high};
}

ValueRange range_of_product(std::span<const VariableId> factors, Ranges variables) {
  WideRange total{1, 1};
  for (const VariableId factor : factors)
    total = multiply(total, {variables[factor].low, variables[factor].high});
  return total.saturated();
}

ValueRange range_of_left_side(const Constraint& constraint, Ranges variables) {
  if (const auto* prod = std::get_if<ProdConstraint>(&constraint.rule))
    return range_of_product(prod->factors, variables);
  if (const auto* sum = std::get_if<SumConstraint>(&constraint.rule))
    return range_of_sum(sum->terms, variables);
  if (const auto* select = std::get_if<SelectConstraint>(&constraint.rule))
    return range_of_selected(*select, variables);
  return variables[std::get<EqConstraint>(constraint.rule).right];
}

Truth truth_of(const Constraint& constraint, bool defines, Ranges variables) {
  if (const auto* rule = std::get_if<LeConstraint>(&constraint.rule))
    return truth(less_equal(variables[rule->left], variables[rule->right]));
  if (const auto* rule = std::get_if<InConstraint>(&constraint.rule))
    return truth(contained(*rule, variables[rule->variable]));
  if (const auto* rule = std::get_if<ExpressionConstraint>(&constraint.rule))
    return truth(range_of(rule->condition, variables));
  Truth result = Truth::True;
  if (const auto* rule = std::get_if<SelectConstraint>(&constraint.rule)) {
    const ValueRange chosen = choosing(*rule, variables);
    if (chosen.low > chosen.high) return Truth::False;
    if (chosen != variables[rule->selector]) result = Truth::Unknown;
  }
  if (defines) return result;
  const Truth same =
      truth(equal(variables[*left_side(constraint)], range_of_left_side(constraint, variables)));
  return same == Truth::True ? result : same;
}

}  // namespace kernelscape::space
