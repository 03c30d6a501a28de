#pragma once

#include <optional>
#include <span>

namespace kernelscape::analysis {

/**
 * Returns Kendall's tau-b of pairs (1945), which corrects for ties, in O(n log n) (Knight 1966). Returns
 * nullopt for fewer than two pairs, if all numbers of one side are equal, or if a number is NaN. The spans
 * must have the same length.
 */
std::optional<double> kendall_tau_b(std::span<const double> a, std::span<const double> b);

}  // namespace kernelscape::analysis
