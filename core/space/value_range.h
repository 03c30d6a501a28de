#pragma once

#include <cstdint>
#include <span>

#include "core/space/constraint.h"
#include "core/space/saturating.h"

namespace kernelscape::space {

/** Bounds of the values that a variable or an expression can take. */
struct ValueRange {
  std::int64_t low = 0;
  std::int64_t high = 0;

  bool single() const { return low == high; }  ///< true if the value is known
  bool operator==(const ValueRange&) const = default;
};

/** A range whose bounds do not saturate at 64 bits, for products and sums of many values. */
struct WideRange {
  base::int128 low = 0;
  base::int128 high = 0;

  ValueRange saturated() const { return {saturate(low), saturate(high)}; }  ///< as a range of 64-bit values
};

/** Returns the range of the product of two numbers. Bounds beyond 2^126 are clamped and keep their sign. */
WideRange multiply(const WideRange& a, const WideRange& b);

/** Truth of a constraint whose variables are known as ranges; exact for single values. */
enum class Truth : std::uint8_t { False, True, Unknown };

/** Returns the range of the left side of a PROD, SUM, EQ or SELECT. */
ValueRange range_of_left_side(const Constraint& constraint, std::span<const ValueRange> variables);

/** Returns the range of the product of the factors. */
ValueRange range_of_product(std::span<const VariableId> factors, std::span<const ValueRange> variables);

/**
 * Returns the truth of a constraint for variables in ranges.
 * @param defines the constraint defines its left side, so that only a SELECT's selector is checked
 */
Truth truth_of(const Constraint& constraint, bool defines, std::span<const ValueRange> variables);

}  // namespace kernelscape::space
