#pragma once

#include <cstdint>
#include <optional>

#include "core/project/expression_parts.h"
#include "core/project/python_node.h"
#include "core/space/value_range.h"

namespace kernelscape {

// Numbers of conditions as trees over whole numbers, where these mean exactly what the language computes:
// nothing overflows 64 bits, no real is rounded. What might has no such number.

/** True or not, and where it can be computed at all. */
struct LoweredTruth {
  Expression truth{};
  Expression valid = constant_expression(1);
};

/** A whole number over a divisor, and where it can be computed. */
struct LoweredNumber {
  Expression value{};
  ValueRange range{};
  bool real = false;  ///< the language has a real there, whose value this is
  Expression valid = constant_expression(1);
  std::optional<Expression> divisor{};
  ValueRange divisor_range{1, 1};  ///< where it is not 0, of one sign
};

using ExactNumber = std::optional<LoweredNumber>;

/** Of a value that is the same for all configurations: whole numbers, truth values, and reals of few digits.
 */
ExactNumber exact_constant(const PythonValue& value);
/** + or - */
ExactNumber exact_sum(PythonOperator by, LoweredNumber left, LoweredNumber right);
/** * / // or % */
ExactNumber exact_product(PythonOperator by, LoweredNumber left, LoweredNumber right);
/** & with a constant below a power of two, and << and >> by a constant. */
ExactNumber exact_bits(PythonOperator by, LoweredNumber left, LoweredNumber right);
/** base ** exponent, of small constant exponents. */
ExactNumber exact_power(const LoweredNumber& base, const LoweredNumber& exponent);
/** - of */
ExactNumber exact_negative(ExactNumber of);
/** abs(of) */
ExactNumber exact_magnitude(LoweredNumber of);
/** max(left, right) where the largest is wanted, else min(left, right). */
ExactNumber exact_extreme(bool largest, LoweredNumber left, LoweredNumber right);
/** int(of) */
ExactNumber exact_whole(LoweredNumber of);
/** float(of) */
ExactNumber exact_real(LoweredNumber of);
/** `first or rest` is first + (first == 0) * rest, `first and rest` is (first != 0) * rest. */
ExactNumber exact_choice(bool any, LoweredNumber first, LoweredNumber rest);

/** `value if condition else other`, which is condition * value + (not condition) * other. */
ExactNumber exact_conditional(LoweredNumber condition, LoweredNumber value, LoweredNumber other);

/** == != < <= > >=, quotients multiplied out. */
std::optional<LoweredTruth> exact_comparison(PythonOperator by, const LoweredNumber& left,
                                             const LoweredNumber& right);

}  // namespace kernelscape
