#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/surrogate/boosted_trees.h"

namespace kernelscape::surrogate {

/** The training objective of the trees: the order of the labels, or the labels. */
enum class BoostingObjective { PairwiseRank, Regression };

/** The measure of a column's importance. */
enum class SplitScore : std::uint8_t {
  Count,  ///< number of splits on the column in all trees, XGBoost's "weight"
  Gain    ///< average improvement of the objective by a split on the column, XGBoost's "gain"
};

/** Hyperparameters of gradient-boosted trees with XGBoost's meanings; the defaults are AutoTVM's. */
struct BoostingParameters {
  BoostingObjective objective = BoostingObjective::PairwiseRank;
  int maximum_depth = 3;
  double minimum_split_loss = 1e-4;  ///< gamma
  double minimum_child_weight = 1;
  double subsample = 1;
  double learning_rate = 0.3;    ///< eta
  double l2_regularisation = 1;  ///< lambda
  double l1_regularisation = 0;  ///< alpha
  std::uint32_t seed = 0;
};

/** The conditions for adding no further trees. */
struct BoostingRounds {
  int maximum = 8000;
  int patience = 20;  ///< number of rounds without a better recall on the training data before training stops
  std::size_t recall_at = 64;  ///< n of `average_recall`
};

/** Rows of features, one after the other: features.size() == labels.size() * columns, columns at least 1. */
struct BoostingData {
  std::span<const float> features;
  std::size_t columns = 0;
  std::span<const float> labels;
  /** Another model's prediction for each row, to improve on; may be empty. */
  std::span<const float> base_margins;
};

/**
 * Gradient-boosted trees (XGBoost's C library) in one thread: the same data and parameters give the same
 * model. For ranking, all rows are one group.
 */
class GradientBoosting {
 public:
  /**
   * Trains a model. Returns an error for no rows, a label or feature that is not finite, or an error of the
   * library.
   */
  static Result<GradientBoosting> train(const BoostingData& data, const BoostingParameters& parameters,
                                        const BoostingRounds& rounds);

  /**
   * Returns the margins of rows: comparable scores, where larger is better. Uses all trees, including those
   * after the best round, as AutoTVM does.
   * @param base_margins one per row, of the same kind as in training; empty: none
   */
  Result<std::vector<float>> predict(std::span<const float> features,
                                     std::span<const float> base_margins = {}) const;

  /**
   * Returns the importance of each column over all trees. A column without a split has 0; this includes all
   * but the first of equal columns.
   */
  std::vector<double> column_scores(SplitScore score) const;

  /** Returns the trees without the library: their predictions are equal for rows without base margins. */
  Result<BoostedTrees> trees() const;

  int rounds() const { return rounds_; }            ///< number of trees, including those after the best round
  std::size_t columns() const { return columns_; }  ///< number of features per row

 private:
  GradientBoosting() = default;
  std::shared_ptr<void> booster_;
  int rounds_ = 0;
  std::size_t columns_ = 0;
  std::vector<std::size_t> selected_;  ///< columns that the trees use
};

}  // namespace kernelscape::surrogate
