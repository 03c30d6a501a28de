#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/surrogate/random_forest.h"

namespace kernelscape {

/** Shares of a variance, 0 to 1: of single factors and of what pairs of factors do beyond the two alone. */
struct VarianceShares {
  std::vector<double> factors;
  std::vector<double> pairs;  ///< [first * factors + second], first < second; the others are 0

  /** What the two do beyond each alone. @param first below `second` */
  double pair(std::size_t first, std::size_t second) const { return pairs[first * factors.size() + second]; }
};

/** What varies on its own (a knob): some of a forest's features and what these are together. */
struct VarianceFactor {
  std::vector<std::size_t> columns;  ///< of the forest; no other factor has them
  std::vector<float> values;  ///< the factor's values: one number per column, one value after the other

  /** Of its values; one without columns never varies. */
  std::size_t count() const { return columns.empty() ? 1 : values.size() / columns.size(); }
};

/**
 * Functional analysis of variance of what a forest predicts (Hutter, Hoos, Leyton-Brown 2014): every tree is
 * split exactly, the factors being independent and uniform over their values; shares are the mean over the
 * trees that vary. A factor of several columns counts as one, so that combinations that cannot be never
 * count. Time and memory grow with the product of two factors' values: some hundreds each are meant.
 * @param factors have every column of the forest between them
 * @return none where `proceed` gave it up
 */
std::optional<VarianceShares> decompose_variance(const RandomForest& forest,
                                                 std::span<const VarianceFactor> factors, int threads,
                                                 const Proceed& proceed);

/** Numbers, and for each of them the values of the factors, numbered. */
struct GroupedNumbers {
  std::span<const double> numbers;
  std::vector<std::vector<std::uint32_t>> groups;  ///< per factor: value of each number
  std::vector<std::size_t> group_counts;           ///< per factor
};

/**
 * Variance of the means of groups, weighted by the groups' sizes; of a pair that beyond the two alone, at
 * least 0. Exact for a full grid; where members are missing, factors share what they explain together.
 * @return none where `proceed` gave it up
 */
std::optional<VarianceShares> decompose_variance(const GroupedNumbers& data, int threads,
                                                 const Proceed& proceed);

}  // namespace kernelscape
