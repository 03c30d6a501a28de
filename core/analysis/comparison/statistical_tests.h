#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kernelscape {

/**
 * Two-sided Mann-Whitney U test: twice the smaller tail, at most 1. Exact (by counting the splits of the mid-
 * ranks, ties included) while the product of the sizes is at most 900, else the normal approximation with
 * correction for ties and continuity. 1 where a sample is empty or all values are equal.
 */
double mann_whitney_p(std::span<const double> a, std::span<const double> b);

/** The smallest p that samples of these sizes can give at all: one split of all, and its mirror image. */
double smallest_mann_whitney_p(std::size_t a, std::size_t b);

/** Vargha and Delaney's A12: P(a > b) + P(a = b) / 2. 0.5 where a sample is empty. */
double vargha_delaney_a12(std::span<const double> a, std::span<const double> b);

/**
 * Two-sided Wilcoxon signed rank test of paired differences; zeros are dropped. Exact (by counting the signs
 * of the mid-ranks, ties included) up to 25 differences, else the normal approximation with correction for
 * ties and continuity. 1 without a difference.
 */
double wilcoxon_signed_rank_p(std::span<const double> differences);

/** The smallest p that so many differences that are not zero can give: all of one sign. */
double smallest_signed_rank_p(std::size_t differences);

/**
 * Effect size of the same: the rank sum of the positive differences less that of the negative, over their
 * sum; 1 where all are positive. Infinities are the largest. 0 without a difference.
 */
double rank_biserial_correlation(std::span<const double> differences);

/** Holm's step-down correction (1979), in the order given; never above 1. */
std::vector<double> holm_correction(std::span<const double> p);

}  // namespace kernelscape
