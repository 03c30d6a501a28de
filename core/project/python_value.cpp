#include "core/project/python_value.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/int128.h"
#include "core/space/saturating.h"

namespace kernelscape {
namespace {

using Text = std::unexpected<std::string>;

constexpr double two_to_63 = 9223372036854775808.0;
constexpr std::string_view overflow = "the result is beyond 64 bits";

PythonObject object_of(PythonValue value) { return {.value = std::move(value)}; }

/** Of a whole number or a truth value. */
std::optional<std::int64_t> whole_of(const PythonObject& object) {
  if (object.items) return std::nullopt;
  if (const auto* integer = std::get_if<std::int64_t>(&object.value)) return *integer;
  if (const auto* truth = std::get_if<bool>(&object.value)) return *truth ? 1 : 0;
  return std::nullopt;
}

/** Of any number. */
std::optional<double> real_of(const PythonObject& object) {
  if (const auto whole = whole_of(object)) return static_cast<double>(*whole);
  if (object.items) return std::nullopt;
  if (const auto* real = std::get_if<double>(&object.value)) return *real;
  return std::nullopt;
}

const std::string* text_of(const PythonObject& object) {
  return object.items ? nullptr : std::get_if<std::string>(&object.value);
}

PythonResult fitting(int128 exact) {
  const std::int64_t narrow = saturate(exact);
  if (narrow != exact) return Text(overflow);
  return object_of(narrow);
}

PythonResult whole_power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (std::int64_t factor = base;;) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, factor, &result)) return Text(overflow);
    exponent >>= 1;
    if (exponent == 0) return object_of(result);
    // 0, 1 and -1 alone stay within 64 bits for ever.
    if (__builtin_mul_overflow(factor, factor, &factor)) return Text(overflow);
  }
}

PythonResult real_power(double base, double exponent) {
  if (base == 0 && exponent < 0 && std::isfinite(exponent)) return Text("0 to a negative power");
  const bool finite = std::isfinite(base) && std::isfinite(exponent);
  if (finite && base < 0 && exponent != std::floor(exponent))
    return Text("a negative number to a power that is not whole");
  const double result = std::pow(base, exponent);
  if (finite && std::isinf(result)) return Text("the result is beyond a real's range");
  return object_of(result);
}

/** Quotient rounded down and the rest, which has the divisor's sign, as the language defines them. */
std::pair<double, double> real_divisions(double a, double b) {
  double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest == 0) {
    rest = std::copysign(0.0, b);
  } else if ((b < 0) != (rest < 0)) {
    rest += b;
    quotient -= 1;
  }
  if (quotient == 0) return {std::copysign(0.0, a / b), rest};
  double whole = std::floor(quotient);
  if (quotient - whole > 0.5) whole += 1;
  return {whole, rest};
}

PythonResult whole_arithmetic(PythonOperator by, std::int64_t a, std::int64_t b) {
  using enum PythonOperator;
  if (b == 0 && (by == Divide || by == FloorDivide || by == Modulo)) return Text("division by zero");
  switch (by) {
    case Add:
      return fitting(int128{a} + b);
    case Subtract:
      return fitting(int128{a} - b);
    case Multiply:
      return fitting(int128{a} * b);
    case Divide:
      return object_of(divide_exactly(a, b));
    case FloorDivide:
      if (b == -1) return fitting(-int128{a});
      return object_of(floor_divide(a, b));
    case Modulo:
      return object_of(floor_modulo(a, b));
    default:
      return b < 0 ? real_power(static_cast<double>(a), static_cast<double>(b)) : whole_power(a, b);
  }
}

PythonResult real_arithmetic(PythonOperator by, double a, double b) {
  using enum PythonOperator;
  if (b == 0 && (by == Divide || by == FloorDivide || by == Modulo)) return Text("division by zero");
  switch (by) {
    case Add:
      return object_of(a + b);
    case Subtract:
      return object_of(a - b);
    case Multiply:
      return object_of(a * b);
    case Divide:
      return object_of(a / b);
    case FloorDivide:
      return object_of(real_divisions(a, b).first);
    case Modulo:
      return object_of(real_divisions(a, b).second);
    default:
      return real_power(a, b);
  }
}

PythonResult repeated(const PythonObject& what, std::int64_t times) {
  const std::size_t size = what.items ? what.items->size() : text_of(what)->size();
  if (times <= 0 || size == 0) times = 0;
  if (times > 0 && static_cast<std::uint64_t>(times) > most_python_items / size)
    return Text(fmt::format("the result has over {} items", most_python_items));
  std::vector<PythonObject> items;
  std::string text;
  for (std::int64_t i = 0; i < times; ++i) {
    if (what.items)
      items.insert(items.end(), what.items->begin(), what.items->end());
    else
      text += *text_of(what);
  }
  if (!what.items) return object_of(std::move(text));
  return PythonObject{.items = std::make_shared<const std::vector<PythonObject>>(std::move(items)),
                      .tuple = what.tuple};
}

/** What + and * do with texts, lists and tuples; none where they do nothing. */
std::optional<PythonResult> sequence_arithmetic(PythonOperator by, const PythonObject& a,
                                                const PythonObject& b) {
  const auto row = [](const PythonObject& object) { return object.items || text_of(object) != nullptr; };
  if (by == PythonOperator::Multiply) {
    if (const auto times = whole_of(b); times && row(a)) return repeated(a, *times);
    if (const auto times = whole_of(a); times && row(b)) return repeated(b, *times);
  }
  if (by != PythonOperator::Add) return std::nullopt;
  if (text_of(a) != nullptr && text_of(b) != nullptr) {
    if (text_of(a)->size() + text_of(b)->size() > most_python_items)
      return Text(fmt::format("the result has over {} letters", most_python_items));
    return object_of(*text_of(a) + *text_of(b));
  }
  if (!a.items || !b.items || a.tuple != b.tuple) return std::nullopt;
  if (a.items->size() + b.items->size() > most_python_items)
    return Text(fmt::format("the result has over {} items", most_python_items));
  std::vector<PythonObject> items = *a.items;
  items.insert(items.end(), b.items->begin(), b.items->end());
  return PythonObject{.items = std::make_shared<const std::vector<PythonObject>>(std::move(items)),
                      .tuple = a.tuple};
}

std::partial_ordering order_of_numbers(const PythonObject& a, const PythonObject& b) {
  const auto left = whole_of(a);
  const auto right = whole_of(b);
  if (left && right) return *left <=> *right;
  if (left) return compare_exactly(*left, *real_of(b));
  if (right) return 0 <=> compare_exactly(*right, *real_of(a));
  return *real_of(a) <=> *real_of(b);
}

bool equal_objects(const PythonObject& a, const PythonObject& b) {
  if (a.items && b.items) return a.tuple == b.tuple && std::ranges::equal(*a.items, *b.items, equal_objects);
  if (a.items || b.items) return false;
  if (text_of(a) != nullptr && text_of(b) != nullptr) return *text_of(a) == *text_of(b);
  if (text_of(a) != nullptr || text_of(b) != nullptr) return false;
  return order_of_numbers(a, b) == 0;
}

std::expected<std::partial_ordering, std::string> order_of(PythonOperator by, const PythonObject& a,
                                                           const PythonObject& b) {
  if (real_of(a) && real_of(b)) return order_of_numbers(a, b);
  if (text_of(a) != nullptr && text_of(b) != nullptr) return *text_of(a) <=> *text_of(b);
  if (a.items && b.items && a.tuple == b.tuple) {
    const auto [left, right] = std::ranges::mismatch(*a.items, *b.items, equal_objects);
    if (left != a.items->end() && right != b.items->end()) return order_of(by, *left, *right);
    return a.items->size() <=> b.items->size();
  }
  return Text(fmt::format("{} does not compare {} with {}", symbol_of(by), python_type(a), python_type(b)));
}

std::expected<bool, std::string> contains(const PythonObject& item, const PythonObject& row) {
  if (row.items)
    return std::ranges::any_of(*row.items, [&](const PythonObject& one) { return equal_objects(item, one); });
  if (text_of(row) == nullptr)
    return Text(fmt::format("in looks through a list or a text, not {}", python_type(row)));
  if (text_of(item) == nullptr) return Text(fmt::format("a text holds no {}", python_type(item).substr(2)));
  return text_of(row)->contains(*text_of(item));
}

}  // namespace

std::string python_type(const PythonObject& object) {
  if (object.items) return object.tuple ? "a tuple" : "a list";
  if (text_of(object) != nullptr) return "a text";
  if (std::holds_alternative<bool>(object.value)) return "a truth value";
  return std::holds_alternative<double>(object.value) ? "a real" : "a whole number";
}

std::partial_ordering compare_exactly(std::int64_t integer, double real) {
  if (std::isnan(real)) return std::partial_ordering::unordered;
  if (real >= two_to_63) return std::partial_ordering::less;
  if (real < -two_to_63) return std::partial_ordering::greater;
  const double whole = std::trunc(real);
  if (const auto order = integer <=> static_cast<std::int64_t>(whole); order != 0) return order;
  return whole <=> real;
}

double divide_exactly(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  if (a >= -exact && a <= exact && b >= -exact && b <= exact)
    return static_cast<double>(a) / static_cast<double>(b);
  const bool negative = (a < 0) != (b < 0);
  const auto magnitude = [](std::int64_t x) {
    return static_cast<std::uint64_t>(x < 0 ? -int128{x} : int128{x});
  };
  const std::uint64_t dividend = magnitude(a);
  const std::uint64_t divisor = magnitude(b);
  if (dividend == 0) return negative ? -0.0 : 0.0;
  // At least 56 bits of the quotient, the last of which says whether there is a rest: a rounding of them is
  // that of the quotient.
  const int shift = std::max(
      0, 57 - static_cast<int>(std::bit_width(dividend)) + static_cast<int>(std::bit_width(divisor)));
  const uint128 wide = uint128{dividend} << static_cast<unsigned>(shift);
  auto quotient = static_cast<std::uint64_t>(wide / divisor);
  if (wide % divisor != 0) quotient |= 1;
  const double real = std::ldexp(static_cast<double>(quotient), -shift);
  return negative ? -real : real;
}

PythonResult python_arithmetic(PythonOperator by, const PythonObject& left, const PythonObject& right) {
  if (auto sequence = sequence_arithmetic(by, left, right)) return *std::move(sequence);
  if (!real_of(left) || !real_of(right))
    return Text(
        fmt::format("{} does not take {} and {}", symbol_of(by), python_type(left), python_type(right)));
  const auto a = whole_of(left);
  const auto b = whole_of(right);
  return a && b ? whole_arithmetic(by, *a, *b) : real_arithmetic(by, *real_of(left), *real_of(right));
}

std::expected<bool, std::string> python_compares(PythonOperator by, const PythonObject& left,
                                                 const PythonObject& right) {
  using enum PythonOperator;
  if (by == Equal || by == NotEqual) return equal_objects(left, right) == (by == Equal);
  if (by == In || by == NotIn) return TRY(contains(left, right)) == (by == In);
  const std::partial_ordering order = TRY(order_of(by, left, right));
  if (by == Less) return order < 0;
  if (by == LessEqual) return order <= 0;
  return by == Greater ? order > 0 : order >= 0;
}

PythonResult python_sign(bool minus, const PythonObject& of) {
  if (const auto whole = whole_of(of)) return fitting(minus ? -int128{*whole} : int128{*whole});
  if (const auto real = real_of(of)) return object_of(minus ? -*real : *real);
  return Text(fmt::format("{} does not take {}", minus ? "-" : "+", python_type(of)));
}

bool python_truth(const PythonObject& object) {
  if (object.items) return !object.items->empty();
  if (const std::string* text = text_of(object)) return !text->empty();
  return *real_of(object) != 0;
}

}  // namespace kernelscape
