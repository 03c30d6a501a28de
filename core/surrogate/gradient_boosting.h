#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/surrogate/boosted_trees.h"

namespace kernelscape {

/** What the trees learn: the order of the labels, or the labels. */
enum class BoostingObjective { PairwiseRank, Regression };

/** What makes a column important to trees. */
enum class SplitScore : std::uint8_t {
  Count,  ///< splits on it in all trees, XGBoost's "weight"
  Gain    ///< what a split on it improves the objective by on average, XGBoost's "gain"
};

/** Hyperparameters of gradient-boosted trees under XGBoost's meanings; the defaults are AutoTVM's. */
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

/** When to stop adding trees. */
struct BoostingRounds {
  int maximum = 8000;
  int patience = 20;           ///< stop after so many rounds without a better recall on the training data
  std::size_t recall_at = 64;  ///< n of `average_recall`
};

/** Rows of features, one after the other: features.size() == labels.size() * columns, columns at least 1. */
struct BoostingData {
  std::span<const float> features;
  std::size_t columns = 0;
  std::span<const float> labels;
  std::span<const float>
      base_margins;  ///< what another model predicts of each row, to improve on; may be empty
};

/**
 * Gradient-boosted trees (XGBoost's C library) in one thread: the same data and parameters give the same
 * model. Rows are one group for ranking.
 */
class GradientBoosting {
 public:
  /** Errors: no rows, a label or feature that is not finite, or what the library reports. */
  static Result<GradientBoosting> train(const BoostingData& data, const BoostingParameters& parameters,
                                        const BoostingRounds& rounds);

  /**
   * Margins of rows: comparable scores, larger is better. All trees count, those after the best round too, as
   * AutoTVM has it.
   * @param base_margins one per row, of the same kind as at training; empty: none
   */
  Result<std::vector<float>> predict(std::span<const float> features,
                                     std::span<const float> base_margins = {}) const;

  /**
   * How important each column of the rows is, all trees counted; 0 where no tree splits on it, which of equal
   * columns is so of all but the first.
   */
  std::vector<double> column_scores(SplitScore score) const;

  /** The trees without the library: they predict the same of rows without base margins. */
  Result<BoostedTrees> trees() const;

  int rounds() const { return rounds_; }  ///< trees that were added, those after the best round included
  std::size_t columns() const { return columns_; }  ///< features per row that `predict` takes

 private:
  GradientBoosting() = default;
  std::shared_ptr<void> booster_;
  int rounds_ = 0;
  std::size_t columns_ = 0;
  std::vector<std::size_t> selected_;  ///< columns that the trees see
};

}  // namespace kernelscape
