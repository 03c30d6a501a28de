// Functions on numbers: built-in functions, and those of the modules math and numpy.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/project/python_functions.h"

namespace kernelscape::project {
namespace {

using Arguments = PythonArguments;
using Failure = std::unexpected<std::string>;

namespace numbers {

std::expected<double, std::string> argument_number(const PythonObject& of, std::string_view function) {
  if (const auto real = python_real(of)) return *real;
  return Failure(fmt::format("{} does not take {}", function, python_type(of)));
}

/** Rounds a number; functions of math return an integer, those of numpy a real. */
template <double (*to_whole)(double), bool real>
PythonResult rounded(Arguments arguments) {
  const double number = TRY(argument_number(arguments[0], "rounding"));
  if (real) return python_object(to_whole(number));
  if (python_whole(arguments[0])) return python_sign(false, arguments[0]);
  return python_integer_of(to_whole(number), "rounding");
}

double up(double x) { return std::ceil(x); }
double down(double x) { return std::floor(x); }
double to_zero(double x) { return std::trunc(x); }
double to_even(double x) { return std::nearbyint(x); }

/** Rounds to a multiple of a power of ten, ties to even. */
PythonResult rounded_to_tens(std::int64_t number, std::int64_t zeros) {
  constexpr std::int64_t max_zeros = 19;
  if (zeros > max_zeros) return python_object(std::int64_t{0});
  base::int128 unit = 1;
  for (std::int64_t i = 0; i < zeros; ++i) unit *= 10;
  const base::int128 magnitude = number < 0 ? -base::int128{number} : base::int128{number};
  base::int128 quotient = magnitude / unit;
  const base::int128 rest = 2 * (magnitude % unit);
  if (rest > unit || (rest == unit && quotient % 2 != 0)) ++quotient;
  return python_integer((number < 0 ? -quotient : quotient) * unit);
}

/** Rounds a real to this many digits after the point, from its exact value. */
PythonResult rounded_real(double number, std::int64_t digits) {
  constexpr std::int64_t max_digits = 323;
  if (!std::isfinite(number) || digits > max_digits || number == 0) return python_object(number);
  if (digits < 0)
    return Failure("round of a real to tens is not supported: round it to a whole number first");
  const std::string text = fmt::format("{:.{}f}", number, digits);
  double nearest = 0;
  std::from_chars(text.data(), text.data() + text.size(), nearest);
  return python_object(nearest);
}

PythonResult round(Arguments arguments) {
  const double number = TRY(argument_number(arguments[0], "round"));
  const bool digits_given = arguments.size() > 1 && arguments[1].form != PythonObject::Form::None;
  if (digits_given && !python_whole(arguments[1]))
    return Failure(fmt::format("round takes a whole number of digits, not {}", python_type(arguments[1])));
  const auto whole = python_whole(arguments[0]);
  if (!digits_given) return whole ? python_object(*whole) : python_integer_of(to_even(number), "round");
  const std::int64_t digits = *python_whole(arguments[1]);
  if (!whole) return rounded_real(number, digits);
  return digits < 0 ? rounded_to_tens(*whole, digits < -32 ? 32 : -digits) : python_object(*whole);
}

PythonResult numpy_round(Arguments arguments) {
  const double number = TRY(argument_number(arguments[0], "round"));
  return python_whole(arguments[0]) ? python_sign(false, arguments[0]) : python_object(to_even(number));
}

PythonResult divmod(Arguments arguments) {
  PythonObject quotient = TRY(python_arithmetic(PythonOperator::FloorDivide, arguments[0], arguments[1]));
  PythonObject rest = TRY(python_arithmetic(PythonOperator::Modulo, arguments[0], arguments[1]));
  return python_row(PythonObject::Form::Tuple, {std::move(quotient), std::move(rest)});
}

PythonResult power(Arguments arguments) {
  if (arguments.size() == 2) return python_arithmetic(PythonOperator::Power, arguments[0], arguments[1]);
  const auto base = python_whole(arguments[0]);
  const auto exponent = python_whole(arguments[1]);
  const auto modulus = python_whole(arguments[2]);
  if (!base || !exponent || !modulus) return Failure("pow of three takes whole numbers");
  if (*modulus == 0) return Failure("division by zero");
  if (*exponent < 0) return Failure("pow of three to a negative power is not supported");
  const base::int128 by = *modulus < 0 ? -base::int128{*modulus} : base::int128{*modulus};
  // Products stay below 2^126.
  base::int128 factor = (base::int128{*base} % by + by) % by;
  base::int128 result = 1 % by;
  for (std::int64_t left = *exponent; left > 0; left >>= 1) {
    if ((left & 1) != 0) result = result * factor % by;
    factor = factor * factor % by;
  }
  return python_integer(*modulus < 0 && result != 0 ? result + *modulus : result);
}

PythonResult real_power(Arguments arguments) {
  const double base = TRY(argument_number(arguments[0], "pow"));
  const double exponent = TRY(argument_number(arguments[1], "pow"));
  return python_arithmetic(PythonOperator::Power, python_object(base), python_object(exponent));
}

double log2_of(double x) { return std::log2(x); }
double log10_of(double x) { return std::log10(x); }
double log_of(double x) { return std::log(x); }

template <double (*function)(double)>
std::expected<double, std::string> logarithm(const PythonObject& of) {
  const double number = TRY(argument_number(of, "log"));
  if (number <= 0) return Failure("log of what is not above 0");
  return function(number);
}

template <double (*function)(double)>
PythonResult math_log(Arguments arguments) {
  const double first = TRY(logarithm<function>(arguments[0]));
  if (arguments.size() == 1) return python_object(first);
  return python_arithmetic(PythonOperator::Divide, python_object(first),
                           python_object(TRY(logarithm<function>(arguments[1]))));
}

/** Computes a logarithm of numpy: infinite or NaN where math reports an error. */
template <double (*function)(double)>
PythonResult numpy_log(Arguments arguments) {
  const double number = TRY(argument_number(arguments[0], "log"));
  return python_object(number < 0 ? std::nan("") : function(number));
}

PythonResult math_sqrt(Arguments arguments) {
  const double number = TRY(argument_number(arguments[0], "sqrt"));
  if (number < 0) return Failure("sqrt of a negative number");
  return python_object(std::sqrt(number));
}
PythonResult numpy_sqrt(Arguments arguments) {
  const double number = TRY(argument_number(arguments[0], "sqrt"));
  return python_object(number < 0 ? std::nan("") : std::sqrt(number));
}

PythonResult exponential(Arguments arguments) {
  const double number = TRY(argument_number(arguments[0], "exp"));
  const double result = std::exp(number);
  if (std::isinf(result) && std::isfinite(number)) return Failure("the result is beyond a real's range");
  return python_object(result);
}

template <bool multiple>
PythonResult common(Arguments arguments) {
  base::int128 all = multiple ? 1 : 0;
  for (const PythonObject& argument : arguments) {
    const auto whole = python_whole(argument);
    if (!whole) return Failure(fmt::format("gcd and lcm take whole numbers, not {}", python_type(argument)));
    const base::int128 next = *whole < 0 ? -base::int128{*whole} : base::int128{*whole};
    base::int128 divisor = next;
    for (base::int128 rest = all; rest != 0;) divisor = std::exchange(rest, divisor % rest);
    if (multiple) all = divisor == 0 ? 0 : all / divisor * next;
    if (!multiple) all = divisor;
    std::ignore = TRY(python_integer(all));
  }
  return python_integer(all);
}

constexpr std::array functions{
    PythonFunction{"divmod", 2, 2, divmod},
    PythonFunction{"pow", 2, 3, power},
    PythonFunction{"round", 1, 2, round},
    PythonFunction{"math.ceil", 1, 1, rounded<up, false>},
    PythonFunction{"math.exp", 1, 1, exponential},
    PythonFunction{"math.floor", 1, 1, rounded<down, false>},
    PythonFunction{"math.gcd", 0, unlimited_arguments, common<false>},
    PythonFunction{"math.lcm", 0, unlimited_arguments, common<true>},
    PythonFunction{"math.log", 1, 2, math_log<log_of>},
    PythonFunction{"math.log10", 1, 1, math_log<log10_of>},
    PythonFunction{"math.log2", 1, 1, math_log<log2_of>},
    PythonFunction{"math.pow", 2, 2, real_power},
    PythonFunction{"math.sqrt", 1, 1, math_sqrt},
    PythonFunction{"math.trunc", 1, 1, rounded<to_zero, false>},
    PythonFunction{"np.ceil", 1, 1, rounded<up, true>},
    PythonFunction{"np.floor", 1, 1, rounded<down, true>},
    PythonFunction{"np.gcd", 2, 2, common<false>},
    PythonFunction{"np.lcm", 2, 2, common<true>},
    PythonFunction{"np.log", 1, 1, numpy_log<log_of>},
    PythonFunction{"np.log10", 1, 1, numpy_log<log10_of>},
    PythonFunction{"np.log2", 1, 1, numpy_log<log2_of>},
    PythonFunction{"np.round", 1, 1, numpy_round},
    PythonFunction{"np.sqrt", 1, 1, numpy_sqrt},
    PythonFunction{"np.trunc", 1, 1, rounded<to_zero, true>},
};

}  // namespace numbers
}  // namespace

std::span<const PythonFunction> python_math() { return numbers::functions; }

PythonResult python_integer_of(double whole, std::string_view function) {
  if (!std::isfinite(whole)) return Failure(fmt::format("{} of a number that is not finite", function));
  if (whole < -0x1p63 || whole >= 0x1p63) return Failure("the result is beyond 64 bits");
  return python_object(static_cast<std::int64_t>(whole));
}

}  // namespace kernelscape::project
