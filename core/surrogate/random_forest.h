#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/surrogate/regression_tree.h"

namespace kernelscape {

/** Hyperparameters of a random forest (Breiman 2001). AdaTune's: 10 full trees, 10 features per split. */
struct ForestOptions {
  int trees = 10;
  std::size_t minimum_leaf = 1;   ///< rows per leaf, those drawn twice counted twice
  int maximum_depth = 0;          ///< 0: no limit
  double features_per_split = 1;  ///< share of the columns, rounded, at least one; above 0, up to 1
  double bootstrap_share = 1;     ///< rows drawn with replacement per tree; 0: every tree takes each row once
  ConstantColumns constant_columns = ConstantColumns::Skipped;  ///< among those drawn for a split
  std::size_t most_bins = BinnedFeatures::most_bins;  ///< exact for columns of no more distinct values
  std::uint64_t seed = 1;
  int threads = 1;
};

/** Rows of features, one after the other: features.size() == labels.size() * columns, columns at least 1. */
struct ForestData {
  std::span<const float> features;
  std::size_t columns = 0;
  std::span<const double> labels;
};

/**
 * Asked now and then whether to go on, with the share done (0 to 1): false gives the work up. It may block,
 * which pauses it. Several threads ask at once.
 */
using Proceed = std::function<bool(double share_done)>;

/** What the trees say of a row: mean, and their standard deviation as a population (AdaTune's sigma). */
struct ForestEstimate {
  double mean = 0;
  double deviation = 0;

  bool operator==(const ForestEstimate&) const = default;
};

/**
 * Regression trees on bootstrap samples. The same data and options give the same forest for any number of
 * threads. Immutable; any thread may ask.
 */
class RandomForest {
 public:
  /** Errors: an option out of range, no rows or over 4,194,304, numbers not finite, given up (Refused). */
  static Result<RandomForest> train(const ForestData& data, const ForestOptions& options,
                                    const Proceed& proceed = {});

  /** Mean over the trees. @param row `columns()` features */
  double predict(std::span<const float> row) const;
  /** Mean and deviation over the trees. @param row `columns()` features */
  ForestEstimate estimate(std::span<const float> row) const;
  /** Of many rows, one after the other. */
  std::vector<ForestEstimate> estimates(std::span<const float> rows, int threads = 1) const;
  /** What each tree says, in their order. @param row `columns()` features */
  std::vector<double> tree_predictions(std::span<const float> row) const;

  /**
   * 1 - (squared error) / (squared deviation from the mean) over the rows that some tree had not drawn, each
   * predicted by such trees alone. None without such rows or where their labels are all equal.
   */
  std::optional<double> out_of_bag_r2() const { return out_of_bag_r2_; }

  const std::vector<RegressionTree>& trees() const { return trees_; }  ///< as many as the options ask for
  std::size_t columns() const { return columns_; }                     ///< features per row

 private:
  RandomForest() = default;

  std::vector<RegressionTree> trees_;
  std::size_t columns_ = 0;
  std::optional<double> out_of_bag_r2_;
};

/** How often tree number `tree` of a forest draws each row. */
std::vector<std::uint32_t> bootstrap_counts(const ForestOptions& options, int tree, std::size_t rows);

}  // namespace kernelscape
