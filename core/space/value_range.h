#pragma once

#include <cstdint>
#include <span>

#include "core/space/constraint.h"
#include "core/space/saturating.h"

namespace kernelscape {

/** Every value that a variable or an expression can take lies between these. */
struct ValueRange {
  std::int64_t low = 0;
  std::int64_t high = 0;

  bool single() const { return low == high; }  ///< the value is known
  bool operator==(const ValueRange&) const = default;
};

/** Ends that don't saturate at 64 bits, for products and sums of many. */
struct WideRange {
  int128 low = 0;
  int128 high = 0;

  ValueRange saturated() const { return {saturate(low), saturate(high)}; }  ///< as 64-bit values lie
};

/** Where the product of two numbers lies; its ends may be far beyond what they are, but of their sign. */
WideRange multiply(const WideRange& a, const WideRange& b);

/** What variables that lie in ranges tell of a constraint; exact for single values. */
enum class Truth : std::uint8_t { False, True, Unknown };

/** Where the left side of a PROD, SUM, EQ or SELECT lies. */
ValueRange range_of_left_side(const Constraint& constraint, std::span<const ValueRange> variables);

/** Where the product of these factors lies. */
ValueRange range_of_product(std::span<const VariableId> factors, std::span<const ValueRange> variables);

/** @param defines its left side is defined by it, so that only a SELECT's selector is asked for */
Truth truth_of(const Constraint& constraint, bool defines, std::span<const ValueRange> variables);

}  // namespace kernelscape
