#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/base/int128.h"

namespace kernelscape::space {

/** Returns the nearest 64-bit integer. */
constexpr std::int64_t saturate(base::int128 value) {
  constexpr base::int128 lowest = std::numeric_limits<std::int64_t>::min();
  constexpr base::int128 highest = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(value, lowest, highest));
}

/**
 * Returns a * b, or a number with the product's sign far beyond 64 bits. Since a factor other than 0 never
 * makes such a number small again, the product of any number of 64-bit factors is exact after `saturate`.
 */
constexpr base::int128 wide_multiply(base::int128 a, base::int128 b) {
  constexpr base::int128 huge = base::int128{1} << 126;
  base::int128 product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return (a < 0) == (b < 0) ? huge : -huge;
  return std::clamp(product, -huge, huge);
}

/** Returns a / b rounded down; 0 if b is 0, so that a condition is defined for every configuration. */
constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  const base::int128 quotient = base::int128{a} / b;
  return saturate(base::int128{a} % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient);
}

/** Returns the remainder of floor_divide(), with the sign of b; 0 if b is 0. */
constexpr std::int64_t floor_modulo(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  const base::int128 rest = base::int128{a} % b;
  return static_cast<std::int64_t>(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}

}  // namespace kernelscape::space
