#include "core/project/python_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include "core/base/int128.h"
#include "core/space/saturating.h"

namespace kernelscape::project {
namespace {

using Failure = std::unexpected<std::string>;
using Form = PythonObject::Form;

constexpr double two_to_63 = 9223372036854775808.0;
constexpr std::string_view overflow = "the result is beyond 64 bits";

PythonResult whole_power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (std::int64_t factor = base;;) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, factor, &result)) return Failure(overflow);
    exponent >>= 1;
    if (exponent == 0) return python_object(result);
    // Only powers of 0, 1 and -1 stay within 64 bits for any exponent.
    if (__builtin_mul_overflow(factor, factor, &factor)) return Failure(overflow);
  }
}

PythonResult real_power(double base, double exponent) {
  if (base == 0 && exponent < 0 && std::isfinite(exponent)) return Failure("0 to a negative power");
  const bool finite = std::isfinite(base) && std::isfinite(exponent);
  if (finite && base < 0 && exponent != std::floor(exponent))
    return Failure("a negative number to a power that is not whole");
  const double result = std::pow(base, exponent);
  if (finite && std::isinf(result)) return Failure("the result is beyond a real's range");
  return python_object(result);
}

/**
 * Returns the quotient rounded down and the remainder, which has the divisor's sign, as the language defines
 * them.
 */
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
  if (b == 0 && (by == Divide || by == FloorDivide || by == Modulo)) return Failure("division by zero");
  switch (by) {
    case Add:
      return python_integer(base::int128{a} + b);
    case Subtract:
      return python_integer(base::int128{a} - b);
    case Multiply:
      return python_integer(base::int128{a} * b);
    case Divide:
      return python_object(divide_exactly(a, b));
    case FloorDivide:
      if (b == -1) return python_integer(-base::int128{a});
      return python_object(space::floor_divide(a, b));
    case Modulo:
      return python_object(space::floor_modulo(a, b));
    default:
      return b < 0 ? real_power(static_cast<double>(a), static_cast<double>(b)) : whole_power(a, b);
  }
}

PythonResult real_arithmetic(PythonOperator by, double a, double b) {
  using enum PythonOperator;
  if (b == 0 && (by == Divide || by == FloorDivide || by == Modulo)) return Failure("division by zero");
  switch (by) {
    case Add:
      return python_object(a + b);
    case Subtract:
      return python_object(a - b);
    case Multiply:
      return python_object(a * b);
    case Divide:
      return python_object(a / b);
    case FloorDivide:
      return python_object(real_divisions(a, b).first);
    case Modulo:
      return python_object(real_divisions(a, b).second);
    default:
      return real_power(a, b);
  }
}

PythonResult repeated(const PythonObject& what, std::int64_t times) {
  const std::size_t size = what.items ? what.weight - 1 : python_text(what)->size();
  const std::size_t most = what.items ? max_python_items : max_python_letters;
  if (times <= 0 || size == 0) times = 0;
  if (times > 0 && static_cast<std::uint64_t>(times) > most / size)
    return Failure(fmt::format("the result has over {} {}", most, what.items ? "items" : "letters"));
  std::vector<PythonObject> items;
  std::string text;
  for (std::int64_t i = 0; i < times; ++i) {
    if (what.items)
      items.insert(items.end(), what.items->begin(), what.items->end());
    else
      text += *python_text(what);
  }
  return what.items ? python_row(what.form, std::move(items)) : python_object(std::move(text));
}

/** Computes + and * of texts, lists and tuples; nullopt if the operands are of other types. */
std::optional<PythonResult> sequence_arithmetic(PythonOperator by, const PythonObject& a,
                                                const PythonObject& b) {
  const auto list = [](const PythonObject& object) { return object.items && !python_unordered(object); };
  const auto row = [&](const PythonObject& object) { return list(object) || python_text(object) != nullptr; };
  if (by == PythonOperator::Multiply) {
    if (const auto times = python_whole(b); times && row(a)) return repeated(a, *times);
    if (const auto times = python_whole(a); times && row(b)) return repeated(b, *times);
  }
  if (by != PythonOperator::Add) return std::nullopt;
  if (python_text(a) != nullptr && python_text(b) != nullptr) {
    if (python_text(a)->size() + python_text(b)->size() > max_python_letters)
      return Failure(fmt::format("the result has over {} characters", max_python_letters));
    return python_object(*python_text(a) + *python_text(b));
  }
  if (!list(a) || !list(b) || a.form != b.form) return std::nullopt;
  std::vector<PythonObject> items = *a.items;
  items.insert(items.end(), b.items->begin(), b.items->end());
  return python_row(a.form, std::move(items));
}

std::partial_ordering order_of_numbers(const PythonObject& a, const PythonObject& b) {
  const auto left = python_whole(a);
  const auto right = python_whole(b);
  if (left && right) return *left <=> *right;
  if (left) return compare_exactly(*left, *python_real(b));
  if (right) return 0 <=> compare_exactly(*right, *python_real(a));
  return *python_real(a) <=> *python_real(b);
}

bool equal_objects(const PythonObject& a, const PythonObject& b) {
  if (a.form != b.form) return false;
  switch (a.form) {
    case Form::Value:
      if ((python_text(a) != nullptr) != (python_text(b) != nullptr)) return false;
      return python_text(a) != nullptr ? *python_text(a) == *python_text(b) : order_of_numbers(a, b) == 0;
    case Form::None:
      return true;
    case Form::List:
    case Form::Tuple:
      return std::ranges::equal(*a.items, *b.items, equal_objects);
    case Form::Set:
      return python_set_compares(PythonOperator::Equal, a, b).value_or(false);
    case Form::Range:
      if (a.range->count != b.range->count) return false;
      return a.range->count == 0 ||
             (a.range->first == b.range->first && (a.range->count == 1 || a.range->step == b.range->step));
  }
  return false;
}

std::expected<std::partial_ordering, std::string> order_of(PythonOperator by, const PythonObject& a,
                                                           const PythonObject& b) {
  if (python_real(a) && python_real(b)) return order_of_numbers(a, b);
  if (python_text(a) != nullptr && python_text(b) != nullptr) return *python_text(a) <=> *python_text(b);
  if (a.items && b.items && a.form == b.form && a.form != Form::Set) {
    const auto [left, right] = std::ranges::mismatch(*a.items, *b.items, equal_objects);
    if (left != a.items->end() && right != b.items->end()) return order_of(by, *left, *right);
    return a.items->size() <=> b.items->size();
  }
  return Failure(
      fmt::format("{} does not compare {} with {}", symbol_of(by), python_type(a), python_type(b)));
}

/** Returns true if a range contains a number, without iterating over it. */
bool range_contains(const PythonRange& range, const PythonObject& item) {
  auto whole = python_whole(item);
  if (const auto real = python_real(item);
      !whole && real && *real == std::trunc(*real) && *real >= -two_to_63 && *real < two_to_63)
    whole = static_cast<std::int64_t>(*real);
  if (!whole) return false;
  const base::int128 from_first = base::int128{*whole} - range.first;
  return from_first % range.step == 0 && from_first / range.step >= 0 &&
         from_first / range.step < base::int128{range.count};
}

std::expected<bool, std::string> contains(const PythonObject& item, const PythonObject& row) {
  if (row.range) return range_contains(*row.range, item);
  if (python_unordered(row)) std::ignore = TRY(python_key(item));
  if (row.items)
    return std::ranges::any_of(*row.items, [&](const PythonObject& one) { return equal_objects(item, one); });
  if (python_text(row) == nullptr)
    return Failure(fmt::format("in searches a list or a text, not {}", python_type(row)));
  if (python_text(item) == nullptr)
    return Failure(fmt::format("a text can't contain a {}", python_type(item).substr(2)));
  return python_text(row)->contains(*python_text(item));
}

/**
 * Computes `is`. None, truth values and small integers exist once; whether other equal values are the same
 * object is undefined.
 */
std::expected<bool, std::string> identical(const PythonObject& a, const PythonObject& b) {
  if (a.form != b.form || (a.form == Form::Value && a.value.index() != b.value.index())) return false;
  if (a.form == Form::None) return true;
  if (a.form == Form::Value && std::holds_alternative<bool>(a.value)) return a.value == b.value;
  const auto whole = python_whole(a);
  if (a.form == Form::Value && a.value != b.value && !std::isnan(python_real(a).value_or(0))) return false;
  if (whole && *whole >= -5 && *whole <= 256) return true;
  return Failure(fmt::format("the result of `is` for {} is undefined: write ==", python_type(a)));
}

PythonResult whole_bits(PythonOperator by, std::int64_t a, std::int64_t b) {
  using enum PythonOperator;
  switch (by) {
    case BitOr:
      return python_object(a | b);
    case BitXor:
      return python_object(a ^ b);
    case BitAnd:
      return python_object(a & b);
    default:
      break;
  }
  if (b < 0) return Failure("a shift by a negative number");
  if (by == ShiftRight) return python_object(a >> std::min<std::int64_t>(b, 63));
  if (a == 0) return python_object(std::int64_t{0});
  if (b > 63) return Failure(overflow);
  return python_integer(base::int128{a} * (base::int128{1} << static_cast<unsigned>(b)));
}

bool is_bitwise(PythonOperator by) { return by >= PythonOperator::BitOr && by <= PythonOperator::ShiftRight; }

/** Computes | ^ &; for two truth values the result is a truth value. */
PythonResult bits(PythonOperator by, const PythonObject& left, const PythonObject& right) {
  const auto a = python_whole(left);
  const auto b = python_whole(right);
  if (!a || !b)
    return Failure(
        fmt::format("{} does not take {} and {}", symbol_of(by), python_type(left), python_type(right)));
  PythonResult made = whole_bits(by, *a, *b);
  const bool truths = std::holds_alternative<bool>(left.value) && std::holds_alternative<bool>(right.value);
  if (!made || !truths || by == PythonOperator::ShiftLeft || by == PythonOperator::ShiftRight) return made;
  return python_object(std::get<std::int64_t>(made->value) != 0);
}

}  // namespace

std::optional<std::int64_t> python_whole(const PythonObject& object) {
  if (object.form != Form::Value) return std::nullopt;
  if (const auto* integer = std::get_if<std::int64_t>(&object.value)) return *integer;
  if (const auto* truth = std::get_if<bool>(&object.value)) return *truth ? 1 : 0;
  return std::nullopt;
}

std::optional<double> python_real(const PythonObject& object) {
  if (const auto whole = python_whole(object)) return static_cast<double>(*whole);
  if (object.form != Form::Value) return std::nullopt;
  if (const auto* real = std::get_if<double>(&object.value)) return *real;
  return std::nullopt;
}

const std::string* python_text(const PythonObject& object) {
  return object.form == Form::Value ? std::get_if<std::string>(&object.value) : nullptr;
}

PythonResult python_integer(base::int128 exact) {
  const std::int64_t narrow = space::saturate(exact);
  if (narrow != exact) return Failure(overflow);
  return python_object(narrow);
}

std::string python_type(const PythonObject& object) {
  static constexpr std::array<std::string_view, 6> forms{"", "None", "a list", "a tuple", "a set", "a range"};
  if (object.form != Form::Value) return std::string(forms[static_cast<std::size_t>(object.form)]);
  if (python_text(object) != nullptr) return "a text";
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
    return static_cast<std::uint64_t>(x < 0 ? -base::int128{x} : base::int128{x});
  };
  const std::uint64_t dividend = magnitude(a);
  const std::uint64_t divisor = magnitude(b);
  if (dividend == 0) return negative ? -0.0 : 0.0;
  // At least 56 bits of the quotient, the last of which is 1 if there is a remainder: rounding them gives the
  // rounded quotient.
  const int shift = std::max(
      0, 57 - static_cast<int>(std::bit_width(dividend)) + static_cast<int>(std::bit_width(divisor)));
  const base::uint128 wide = base::uint128{dividend} << static_cast<unsigned>(shift);
  auto quotient = static_cast<std::uint64_t>(wide / divisor);
  if (wide % divisor != 0) quotient |= 1;
  const double real = std::ldexp(static_cast<double>(quotient), -shift);
  return negative ? -real : real;
}

PythonResult python_arithmetic(PythonOperator by, const PythonObject& left, const PythonObject& right) {
  if (auto sequence = sequence_arithmetic(by, left, right)) return *std::move(sequence);
  if (left.form == Form::Set && right.form == Form::Set) return python_set_arithmetic(by, left, right);
  if (is_bitwise(by)) return bits(by, left, right);
  if (!python_real(left) || !python_real(right))
    return Failure(
        fmt::format("{} does not take {} and {}", symbol_of(by), python_type(left), python_type(right)));
  const auto a = python_whole(left);
  const auto b = python_whole(right);
  return a && b ? whole_arithmetic(by, *a, *b) : real_arithmetic(by, *python_real(left), *python_real(right));
}

std::expected<bool, std::string> python_compares(PythonOperator by, const PythonObject& left,
                                                 const PythonObject& right) {
  using enum PythonOperator;
  if (by == Equal || by == NotEqual) return equal_objects(left, right) == (by == Equal);
  if (by == In || by == NotIn) return TRY(contains(left, right)) == (by == In);
  if (by == Is || by == IsNot) return TRY(identical(left, right)) == (by == Is);
  if (left.form == Form::Set && right.form == Form::Set) return python_set_compares(by, left, right);
  const std::partial_ordering order = TRY(order_of(by, left, right));
  if (by == Less) return order < 0;
  if (by == LessEqual) return order <= 0;
  return by == Greater ? order > 0 : order >= 0;
}

PythonResult python_sign(bool minus, const PythonObject& of) {
  if (const auto whole = python_whole(of))
    return python_integer(minus ? -base::int128{*whole} : base::int128{*whole});
  if (const auto real = python_real(of)) return python_object(minus ? -*real : *real);
  return Failure(fmt::format("{} does not take {}", minus ? "-" : "+", python_type(of)));
}

PythonResult python_invert(const PythonObject& of) {
  if (const auto whole = python_whole(of)) return python_object(~*whole);
  return Failure(fmt::format("~ does not take {}", python_type(of)));
}

bool python_truth(const PythonObject& object) {
  if (object.range) return object.range->count > 0;
  if (object.items) return !object.items->empty();
  if (object.form == Form::None) return false;
  if (const std::string* text = python_text(object)) return !text->empty();
  return *python_real(object) != 0;
}

}  // namespace kernelscape::project
