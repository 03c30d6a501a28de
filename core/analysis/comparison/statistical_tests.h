#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kernelscape::analysis {

/**
 * Returns p of the two-sided Mann-Whitney U test: twice the smaller tail, at most 1. Exact (by counting the
 * splits of the mid-ranks, including ties) while the product of the sizes is at most 900, else the normal
 * approximation with correction for ties and continuity. Returns 1 if a sample is empty or all values are
 * equal.
 */
double mann_whitney_p(std::span<const double> a, std::span<const double> b);

/**
 * Returns the smallest p that samples of these sizes can give: the probability of one split and its mirror
 * image.
 */
double smallest_mann_whitney_p(std::size_t a, std::size_t b);

/** Returns Vargha and Delaney's A12: P(a > b) + P(a = b) / 2, or 0.5 if a sample is empty. */
double vargha_delaney_a12(std::span<const double> a, std::span<const double> b);

/**
 * Returns p of the two-sided Wilcoxon signed-rank test of paired differences; zeros are dropped. Exact (by
 * counting the signs of the mid-ranks, including ties) up to 25 differences, else the normal approximation
 * with correction for ties and continuity. Returns 1 without a difference.
 */
double wilcoxon_signed_rank_p(std::span<const double> differences);

/** Returns the smallest p that this number of non-zero differences can give, when all have the same sign. */
double smallest_signed_rank_p(std::size_t differences);

/**
 * Returns the effect size of the signed-rank test: the rank sum of the positive differences minus that of the
 * negative ones, over their sum; 1 if all are positive. Infinities have the highest ranks. Returns 0 without
 * a difference.
 */
double rank_biserial_correlation(std::span<const double> differences);

/** Returns p-values with Holm's step-down correction (1979), in the order given; never above 1. */
std::vector<double> holm_correction(std::span<const double> p);

}  // namespace kernelscape::analysis
