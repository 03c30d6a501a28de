#pragma once

#include <cstdint>
#include <span>

#include "core/space/saturating.h"

namespace kernelscape::space {

/** Returns the product of the values at these places, computed exactly and then saturated. */
inline std::int64_t product_of_values(std::span<const std::uint32_t> places, const std::int64_t* values) {
  std::int64_t narrow = 1;
  for (const std::uint32_t place : places) {
    if (!__builtin_mul_overflow(narrow, values[place], &narrow)) continue;
    base::int128 wide = 1;
    for (const std::uint32_t factor : places) wide = wide_multiply(wide, values[factor]);
    return saturate(wide);
  }
  return narrow;
}

/** Returns the sum of the values at these places, computed exactly and then saturated. */
inline std::int64_t sum_of_values(std::span<const std::uint32_t> places, const std::int64_t* values) {
  base::int128 total = 0;
  for (const std::uint32_t place : places) total += values[place];
  return saturate(total);
}

}  // namespace kernelscape::space
