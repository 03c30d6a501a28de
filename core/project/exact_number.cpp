#include "core/project/exact_number.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/space/saturating.h"

namespace kernelscape::project {
namespace {

using Kind = space::Expression::Kind;

constexpr std::int64_t largest_exact = std::int64_t{1} << 53;  // integers up to this value are exact as reals
constexpr std::int64_t longest_power = 64;

std::int64_t magnitude_of(const space::ValueRange& range) {
  return std::max(space::saturate(-base::int128{range.low}), range.high);
}

bool is_exact_real(const space::ValueRange& range) { return magnitude_of(range) <= largest_exact; }

bool is_power_of_two(const LoweredNumber& number) {
  const std::int64_t divisor = number.divisor_range.low;
  return number.divisor_range.single() && divisor > 0 && (divisor & (divisor - 1)) == 0;
}

/** Returns true for a sum or product that neither saturates nor, for reals, rounds. */
bool fits(const space::WideRange& wide, bool real) {
  const space::ValueRange narrow = wide.saturated();
  return narrow.low == wide.low && narrow.high == wide.high && (!real || is_exact_real(narrow));
}

space::Expression joined(Kind kind, space::Expression first, space::Expression second) {
  if (first.kind != kind || kind == Kind::Subtract || kind == Kind::Divide || kind == Kind::Modulo)
    return operation(kind, std::move(first), std::move(second));
  first.operands.push_back(std::move(second));
  return first;
}

void set_divisor(LoweredNumber& number, space::Expression divisor, const space::ValueRange& range) {
  number.divisor = std::move(divisor);
  number.divisor_range = range;
}

/** Returns the operation's number if it is exact. */
ExactNumber combined(Kind kind, const space::WideRange& wide, LoweredNumber left, LoweredNumber right) {
  const bool real = left.real || right.real;
  if (!fits(wide, real) || (real && !(is_exact_real(left.range) && is_exact_real(right.range))))
    return std::nullopt;
  return LoweredNumber{.value = joined(kind, std::move(left.value), std::move(right.value)),
                       .range = wide.saturated(),
                       .real = real,
                       .valid = and_expression({std::move(left.valid), std::move(right.valid)})};
}

/** Makes the number valid only if the divisor is not 0. */
void exclude_zero(LoweredNumber& divisor) {
  if (divisor.range.low > 0 || divisor.range.high < 0) return;
  divisor.valid = and_expression(
      {std::move(divisor.valid), operation(Kind::NotEqual, divisor.value, constant_expression(0))});
}

ExactNumber product(LoweredNumber left, LoweredNumber right) {
  // Halves, quarters, ... are exact reals; other quotients are rounded before they are multiplied.
  for (const LoweredNumber* one : {&left, &right})
    if (one->divisor && !is_power_of_two(*one)) return std::nullopt;
  const space::WideRange wide =
      space::multiply({left.range.low, left.range.high}, {right.range.low, right.range.high});
  const space::WideRange divisor{1, base::int128{left.divisor_range.low} * right.divisor_range.low};
  const bool divided = left.divisor || right.divisor;
  if (divided && !fits(divisor, true)) return std::nullopt;
  ExactNumber made = combined(Kind::Multiply, wide, std::move(left), std::move(right));
  if (!made || !divided) return made;
  made->real = true;
  const auto by = static_cast<std::int64_t>(divisor.high);
  if (!is_exact_real(made->range)) return std::nullopt;
  set_divisor(*made, constant_expression(by), {by, by});
  return made;
}

ExactNumber quotient(LoweredNumber left, LoweredNumber right) {
  if (!is_exact_real(left.range) || !is_exact_real(right.range)) return std::nullopt;
  exclude_zero(right);
  if (right.range.low < 0 && right.range.high > 0) return std::nullopt;
  if (right.range == space::ValueRange{0, 0}) return std::nullopt;
  left.real = true;
  left.valid = and_expression({std::move(left.valid), std::move(right.valid)});
  const space::ValueRange without_zero{right.range.low == 0 ? 1 : right.range.low,
                                       right.range.high == 0 ? -1 : right.range.high};
  set_divisor(left, std::move(right.value), without_zero);
  return left;
}

space::Expression comparison(PythonOperator by, space::Expression a, space::Expression b) {
  switch (by) {
    case PythonOperator::Equal:
      return operation(Kind::Equal, std::move(a), std::move(b));
    case PythonOperator::NotEqual:
      return operation(Kind::NotEqual, std::move(a), std::move(b));
    case PythonOperator::Less:
      return operation(Kind::Less, std::move(a), std::move(b));
    case PythonOperator::LessEqual:
      return operation(Kind::LessEqual, std::move(a), std::move(b));
    case PythonOperator::Greater:
      return operation(Kind::Less, std::move(b), std::move(a));
    default:
      return operation(Kind::LessEqual, std::move(b), std::move(a));
  }
}

}  // namespace

ExactNumber exact_constant(const PythonValue& value) {
  const auto whole = [](std::int64_t number, bool real) {
    return LoweredNumber{.value = constant_expression(number), .range = {number, number}, .real = real};
  };
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return whole(*integer, false);
  if (const auto* truth = std::get_if<bool>(&value)) return whole(*truth ? 1 : 0, false);
  const auto* real = std::get_if<double>(&value);
  constexpr auto limit = static_cast<double>(largest_exact);
  if (real == nullptr || !(std::abs(*real) <= limit)) return std::nullopt;
  // The minimum number of halvings that makes the value an integer.
  constexpr int max_halvings = 20;
  double scaled = *real;
  int halvings = 0;
  for (; scaled != std::trunc(scaled) && halvings < max_halvings; ++halvings) scaled *= 2;
  if (scaled != std::trunc(scaled) || std::abs(scaled) > limit) return std::nullopt;
  LoweredNumber number = whole(static_cast<std::int64_t>(scaled), true);
  const std::int64_t divisor = std::int64_t{1} << halvings;
  if (halvings > 0) set_divisor(number, constant_expression(divisor), {divisor, divisor});
  return number;
}

ExactNumber exact_sum(PythonOperator by, LoweredNumber left, LoweredNumber right) {
  if (left.divisor || right.divisor) return std::nullopt;
  const bool add = by == PythonOperator::Add;
  const space::WideRange wide = add ? space::WideRange{base::int128{left.range.low} + right.range.low,
                                                       base::int128{left.range.high} + right.range.high}
                                    : space::WideRange{base::int128{left.range.low} - right.range.high,
                                                       base::int128{left.range.high} - right.range.low};
  return combined(add ? Kind::Add : Kind::Subtract, wide, std::move(left), std::move(right));
}

ExactNumber exact_product(PythonOperator by, LoweredNumber left, LoweredNumber right) {
  if (by == PythonOperator::Multiply) return product(std::move(left), std::move(right));
  if (left.divisor || right.divisor) return std::nullopt;
  if (by == PythonOperator::Divide) return quotient(std::move(left), std::move(right));
  exclude_zero(right);
  const space::ValueRange& a = left.range;
  const space::ValueRange& b = right.range;
  if (by == PythonOperator::Modulo) {
    const space::ValueRange rest{b.low < 0 ? space::saturate(base::int128{b.low} + 1) : 0,
                                 b.high > 0 ? b.high - 1 : 0};
    return combined(Kind::Modulo, {rest.low, rest.high}, std::move(left), std::move(right));
  }
  if (a.low == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
  const std::int64_t most = magnitude_of(a);
  const space::WideRange wide{a.low >= 0 && b.low >= 0 ? 0 : -base::int128{most},
                              a.low >= 0 && b.high <= 0 ? 0 : base::int128{most}};
  return combined(Kind::Divide, wide, std::move(left), std::move(right));
}

ExactNumber exact_bits(PythonOperator by, LoweredNumber left, LoweredNumber right) {
  if (left.divisor || left.real || right.divisor || right.real) return std::nullopt;
  if (by == PythonOperator::BitAnd) {
    if (left.range.single()) std::swap(left, right);
    const std::int64_t mask = right.range.low;
    const bool ones = right.range.single() && mask >= 0 && (mask & (mask + base::int128{1})) == 0;
    if (!ones || mask == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    right.value = constant_expression(mask + 1);
    right.range = {mask + 1, mask + 1};
    return exact_product(PythonOperator::Modulo, std::move(left), std::move(right));
  }
  if (by != PythonOperator::ShiftLeft && by != PythonOperator::ShiftRight) return std::nullopt;
  constexpr std::int64_t max_bits = 62;
  if (!right.range.single() || right.range.low < 0 || right.range.low > max_bits) return std::nullopt;
  const std::int64_t factor = std::int64_t{1} << right.range.low;
  right.value = constant_expression(factor);
  right.range = {factor, factor};
  return by == PythonOperator::ShiftLeft
             ? product(std::move(left), std::move(right))
             : exact_product(PythonOperator::FloorDivide, std::move(left), std::move(right));
}

ExactNumber exact_power(const LoweredNumber& base, const LoweredNumber& exponent) {
  if (base.divisor || base.real || exponent.divisor || exponent.real || !exponent.range.single())
    return std::nullopt;
  const std::int64_t times = exponent.range.low;
  if (times < 1 || times > longest_power) return std::nullopt;
  LoweredNumber all = base;
  for (std::int64_t i = 1; i < times; ++i) {
    LoweredNumber factor = base;
    factor.valid = constant_expression(1);
    ExactNumber next = product(std::move(all), std::move(factor));
    if (!next) return std::nullopt;
    all = *std::move(next);
  }
  return all;
}

ExactNumber exact_negative(ExactNumber of) {
  if (!of || of->range.low == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
  of->value = operation(Kind::Negate, std::move(of->value));
  of->range = {-of->range.high, -of->range.low};
  return of;
}

ExactNumber exact_magnitude(LoweredNumber of) {
  ExactNumber opposite = exact_negative(of);
  if (!opposite || of.divisor) return std::nullopt;
  std::int64_t low = 0;
  if (of.range.low > 0) low = of.range.low;
  if (of.range.high < 0) low = -of.range.high;
  return LoweredNumber{.value = operation(Kind::Maximum, std::move(of.value), std::move(opposite->value)),
                       .range = {low, magnitude_of(of.range)},
                       .real = of.real,
                       .valid = std::move(of.valid)};
}

ExactNumber exact_extreme(bool largest, LoweredNumber left, LoweredNumber right) {
  if (left.divisor || right.divisor) return std::nullopt;
  const auto best = [&](std::int64_t a, std::int64_t b) { return largest ? std::max(a, b) : std::min(a, b); };
  const space::WideRange wide{best(left.range.low, right.range.low), best(left.range.high, right.range.high)};
  return combined(largest ? Kind::Maximum : Kind::Minimum, wide, std::move(left), std::move(right));
}

ExactNumber exact_whole(LoweredNumber of) {
  if (of.divisor) return std::nullopt;
  of.real = false;
  return of;
}

ExactNumber exact_real(LoweredNumber of) {
  if (!of.divisor && !is_exact_real(of.range)) return std::nullopt;
  of.real = true;
  return of;
}

ExactNumber exact_choice(bool any, LoweredNumber first, LoweredNumber rest) {
  if (first.divisor || rest.divisor) return std::nullopt;
  const bool real = first.real || rest.real;
  if (real && !(is_exact_real(first.range) && is_exact_real(rest.range))) return std::nullopt;
  space::Expression open = operation(any ? Kind::Equal : Kind::NotEqual, first.value, constant_expression(0));
  const space::ValueRange kept = any ? first.range : space::ValueRange{0, 0};
  LoweredNumber made{.range = {std::min(kept.low, rest.range.low), std::max(kept.high, rest.range.high)},
                     .real = real};
  made.range = {std::min<std::int64_t>(made.range.low, 0), std::max<std::int64_t>(made.range.high, 0)};
  made.valid =
      and_expression({std::move(first.valid), or_expression({not_expression(open), std::move(rest.valid)})});
  made.value = operation(Kind::Multiply, std::move(open), std::move(rest.value));
  if (any) made.value = operation(Kind::Add, std::move(first.value), std::move(made.value));
  return made;
}

ExactNumber exact_conditional(LoweredNumber condition, LoweredNumber value, LoweredNumber other) {
  if (value.divisor || other.divisor) return std::nullopt;
  const bool real = value.real || other.real;
  if (real && !(is_exact_real(value.range) && is_exact_real(other.range))) return std::nullopt;
  space::Expression no = not_expression(condition.value);
  // The value that is not chosen is multiplied by 0.
  LoweredNumber made{.range = {std::min({value.range.low, other.range.low, std::int64_t{0}}),
                               std::max({value.range.high, other.range.high, std::int64_t{0}})},
                     .real = real};
  made.valid = and_expression({std::move(condition.valid), or_expression({no, std::move(value.valid)}),
                               or_expression({condition.value, std::move(other.valid)})});
  made.value =
      operation(Kind::Add, operation(Kind::Multiply, std::move(condition.value), std::move(value.value)),
                operation(Kind::Multiply, std::move(no), std::move(other.value)));
  return made;
}

/**
 * Compares a / b with c / d as a * d with c * b, if reals distinguish the two. They do if |a d| and |c b| are
 * below 2^52, since the difference of different quotients then exceeds their rounding errors.
 */
std::optional<LoweredTruth> exact_comparison(PythonOperator by, const LoweredNumber& left,
                                             const LoweredNumber& right) {
  space::Expression a = left.value;
  space::Expression b = right.value;
  if (left.divisor || right.divisor) {
    constexpr std::int64_t limit = largest_exact / 2;
    const auto small = [&](const space::ValueRange& one, const space::ValueRange& two) {
      return base::int128{magnitude_of(one)} * magnitude_of(two) < limit;
    };
    if (!small(left.range, right.divisor_range) || !small(right.range, left.divisor_range))
      return std::nullopt;
    if (right.divisor) a = joined(Kind::Multiply, std::move(a), *right.divisor);
    if (left.divisor) b = joined(Kind::Multiply, std::move(b), *left.divisor);
  }
  // Multiplication by a negative number exchanges the sides.
  if ((left.divisor_range.high < 0) != (right.divisor_range.high < 0)) std::swap(a, b);
  return LoweredTruth{comparison(by, std::move(a), std::move(b)), and_expression({left.valid, right.valid})};
}

}  // namespace kernelscape::project
