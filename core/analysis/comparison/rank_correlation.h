#pragma once

#include <optional>
#include <span>

namespace kernelscape {

/**
 * Kendall's tau-b of pairs (1945), which corrects for ties, in O(n log n) (Knight 1966). None for fewer than
 * two pairs, where all of one side are equal, and where a number is NaN. The spans have the same length.
 */
std::optional<double> kendall_tau_b(std::span<const double> a, std::span<const double> b);

}  // namespace kernelscape
