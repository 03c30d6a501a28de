#pragma once

#include <cstdint>
#include <optional>

#include "core/project/expression_parts.h"
#include "core/project/python_node.h"
#include "core/space/value_range.h"

namespace kernelscape::project {

// Numbers of conditions as trees over integers, for cases in which these compute exactly what the language
// computes: nothing overflows 64 bits, no real is rounded. A number that might overflow or be rounded is
// nullopt.

/** A truth value, and the condition under which it can be computed. */
struct LoweredTruth {
  space::Expression truth{};
  space::Expression valid = constant_expression(1);
};

/** An integer divided by a divisor, and the condition under which it can be computed. */
struct LoweredNumber {
  space::Expression value{};
  space::ValueRange range{};
  bool real = false;  ///< in the language, the value is a real
  space::Expression valid = constant_expression(1);
  std::optional<space::Expression> divisor{};
  space::ValueRange divisor_range{1, 1};  ///< range of the nonzero divisor, all of one sign
};

using ExactNumber = std::optional<LoweredNumber>;

/**
 * Lowers a value that is the same for all configurations: integers, truth values, and reals of few digits.
 */
ExactNumber exact_constant(const PythonValue& value);
/** Lowers + or - */
ExactNumber exact_sum(PythonOperator by, LoweredNumber left, LoweredNumber right);
/** Lowers * / // or % */
ExactNumber exact_product(PythonOperator by, LoweredNumber left, LoweredNumber right);
/** Lowers & with a constant of the form 2^n - 1, and << and >> by a constant. */
ExactNumber exact_bits(PythonOperator by, LoweredNumber left, LoweredNumber right);
/** Lowers base ** exponent for small constant exponents. */
ExactNumber exact_power(const LoweredNumber& base, const LoweredNumber& exponent);
/** Lowers -of */
ExactNumber exact_negative(ExactNumber of);
/** Lowers abs(of) */
ExactNumber exact_magnitude(LoweredNumber of);
/** Lowers max(left, right) if `largest` is true, else min(left, right). */
ExactNumber exact_extreme(bool largest, LoweredNumber left, LoweredNumber right);
/** Lowers int(of) */
ExactNumber exact_whole(LoweredNumber of);
/** Lowers float(of) */
ExactNumber exact_real(LoweredNumber of);
/** Lowers `first or rest` to first + (first == 0) * rest, and `first and rest` to (first != 0) * rest. */
ExactNumber exact_choice(bool any, LoweredNumber first, LoweredNumber rest);

/** Lowers `value if condition else other` to condition * value + (not condition) * other. */
ExactNumber exact_conditional(LoweredNumber condition, LoweredNumber value, LoweredNumber other);

/** Lowers == != < <= > >=; quotients are multiplied out. */
std::optional<LoweredTruth> exact_comparison(PythonOperator by, const LoweredNumber& left,
                                             const LoweredNumber& right);

}  // namespace kernelscape::project
