#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/surrogate/regression_tree.h"

namespace kernelscape::surrogate {

/**
 * Hyperparameters of a random forest (Breiman 2001). AdaTune's values: 10 full trees, 10 features per split.
 */
struct ForestOptions {
  int trees = 10;
  std::size_t minimum_leaf = 1;   ///< rows per leaf, where rows drawn twice count twice
  int maximum_depth = 0;          ///< 0: no limit
  double features_per_split = 1;  ///< share of the columns, rounded, at least one; above 0, up to 1
  double bootstrap_share = 1;     ///< rows drawn with replacement per tree; 0: every tree takes each row once
  /** Treatment of constant columns among those drawn for a split. */
  ConstantColumns constant_columns = ConstantColumns::Skipped;
  /** Exact for columns with at most this number of distinct values. */
  std::size_t max_bins = BinnedFeatures::max_bins;
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
 * Called repeatedly during training with the share done (0 to 1); false cancels the training. May block,
 * which pauses the training. Several threads call it at the same time.
 */
using Proceed = std::function<bool(double share_done)>;

/**
 * The prediction of a forest for a row: mean and population standard deviation over the trees (AdaTune's
 * sigma).
 */
struct ForestEstimate {
  double mean = 0;
  double deviation = 0;

  bool operator==(const ForestEstimate&) const = default;
};

/**
 * Regression trees on bootstrap samples. The same data and options give the same forest for any number of
 * threads. Immutable; may be used from any thread.
 */
class RandomForest {
 public:
  /**
   * Trains a forest. Returns an error for an option out of range, no rows or more than 4,194,304, or numbers
   * that are not finite; Refused if `proceed` cancelled the training.
   */
  static Result<RandomForest> train(const ForestData& data, const ForestOptions& options,
                                    const Proceed& proceed = {});

  /** Returns the mean over the trees. @param row `columns()` features */
  double predict(std::span<const float> row) const;
  /** Returns mean and deviation over the trees. @param row `columns()` features */
  ForestEstimate estimate(std::span<const float> row) const;
  /** Returns the estimates of many rows, one after the other. */
  std::vector<ForestEstimate> estimates(std::span<const float> rows, int threads = 1) const;
  /** Returns the prediction of each tree, in their order. @param row `columns()` features */
  std::vector<double> tree_predictions(std::span<const float> row) const;

  /**
   * Returns 1 - (squared error) / (squared deviation from the mean) over the rows that some tree had not
   * drawn, each predicted by such trees alone. Returns nullopt if there are no such rows or if their labels
   * are all equal.
   */
  std::optional<double> out_of_bag_r2() const { return out_of_bag_r2_; }

  const std::vector<RegressionTree>& trees() const { return trees_; }  ///< number of trees in the options
  std::size_t columns() const { return columns_; }                     ///< features per row

 private:
  RandomForest() = default;

  std::vector<RegressionTree> trees_;
  std::size_t columns_ = 0;
  std::optional<double> out_of_bag_r2_;
};

/** Returns how often tree number `tree` of a forest draws each row. */
std::vector<std::uint32_t> bootstrap_counts(const ForestOptions& options, int tree, std::size_t rows);

}  // namespace kernelscape::surrogate
