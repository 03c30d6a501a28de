#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/surrogate/random_forest.h"

namespace kernelscape::analysis {

/** Shares of a variance, 0 to 1: of single factors, and of the interactions of pairs of factors. */
struct VarianceShares {
  std::vector<double> factors;
  std::vector<double> pairs;  ///< [first * factors + second], first < second; the others are 0

  /** Returns the share of the interaction of two factors. @param first below `second` */
  double pair(std::size_t first, std::size_t second) const { return pairs[first * factors.size() + second]; }
};

/** An independent factor (a knob): some of a forest's features, with the values that they have together. */
struct VarianceFactor {
  std::vector<std::size_t> columns;  ///< columns of the forest that belong to no other factor
  std::vector<float> values;  ///< the factor's values: one number per column, one value after the other

  /** Returns the number of its values; a factor without columns never varies. */
  std::size_t count() const { return columns.empty() ? 1 : values.size() / columns.size(); }
};

/**
 * Computes the functional analysis of variance of a forest's predictions (Hutter, Hoos, Leyton-Brown 2014).
 * Every tree is decomposed exactly, with independent factors that are uniform over their values; shares are
 * the mean over the trees that vary. A factor of several columns counts as one, so that impossible
 * combinations never count. Time and memory grow with the product of two factors' numbers of values, which
 * should not exceed some hundreds each.
 * @param factors must contain every column of the forest
 * @return nullopt if `proceed` cancelled it
 */
std::optional<VarianceShares> decompose_variance(const surrogate::RandomForest& forest,
                                                 std::span<const VarianceFactor> factors, int threads,
                                                 const surrogate::Proceed& proceed);

/** Numbers, with the group of each number for every factor. */
struct GroupedNumbers {
  std::span<const double> numbers;
  std::vector<std::vector<std::uint32_t>> groups;  ///< per factor: group of each number
  std::vector<std::size_t> group_counts;           ///< per factor
};

/**
 * Computes the shares of the variance that the means of groups explain: of single factors, then of pairs
 * beyond all single factors. In a full grid this is the functional analysis of variance. If combinations are
 * missing, factors are not independent, and what several explain together counts once, for the strongest of
 * them: the means are subtracted in the order of what they explain of the rest (forward selection). Shares
 * are therefore never negative and sum to at most 1.
 * @return nullopt if `proceed` cancelled it
 */
std::optional<VarianceShares> decompose_variance(const GroupedNumbers& data, int threads,
                                                 const surrogate::Proceed& proceed);

}  // namespace kernelscape::analysis
