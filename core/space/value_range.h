#pragma once

#include <cstdint>
#include <span>

#include "core/space/constraint.h"

namespace kernelscape {

/** Every value that a variable or an expression can take lies between these. */
struct ValueRange {
  std::int64_t low = 0;
  std::int64_t high = 0;

  bool single() const { return low == high; }  ///< the value is known
  bool operator==(const ValueRange&) const = default;
};

/** What variables that lie in ranges tell of a constraint; exact for single values. */
enum class Truth : std::uint8_t { False, True, Unknown };

/** Where the left side of a PROD, SUM, EQ or SELECT lies. */
ValueRange range_of_left_side(const Constraint& constraint, std::span<const ValueRange> variables);

/** Where the product of these factors lies. */
ValueRange range_of_product(std::span<const VariableId> factors, std::span<const ValueRange> variables);

/** @param defines its left side is defined by it, so that only a SELECT's selector is asked for */
Truth truth_of(const Constraint& constraint, bool defines, std::span<const ValueRange> variables);

}  // namespace kernelscape
