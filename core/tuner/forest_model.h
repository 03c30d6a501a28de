#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/surrogate/random_forest.h"
#include "core/tuner/feature_rows.h"
#include "core/tuner/tuner.h"

namespace kernelscape::tuner {

/**
 * Returns AdaTune's contextual epsilon (equation 3): the mean of the standard deviations that a surrogate
 * predicts for unmeasured configurations, as a share of the best fitness, at most 1. Returns 1 if the best
 * fitness is 0, because nothing found yet is worth exploiting, and 0 if there are no predictions, because
 * nothing is left to explore.
 */
double contextual_epsilon(std::span<const surrogate::ForestEstimate> unmeasured, double best_fitness);

/**
 * AdaTune's surrogate (section 4.2.1): a random forest over the features of configurations that predicts
 * fitness with an uncertainty. Labels are raw fitness; failed trials are kept with fitness 0.
 */
class ForestModel {
 public:
  /**
   * @param features_per_split columns drawn per node; all columns if there are fewer. `options` need not set
   * a share.
   */
  ForestModel(std::shared_ptr<const space::FeatureExtractor> features, surrogate::ForestOptions options,
              std::size_t features_per_split);

  /**
   * Adds the trials of other sessions that are members of this space, if there are at least `minimum` and one
   * of them is valid. They count as samples until this session has as many trials as AutoTVM's transferred
   * model needs to fade (`transfer_discount`). Trials of other spaces are not used, because their fitness has
   * another scale.
   * @return true if the trials were added
   */
  bool learn_history(const Context& context, std::size_t minimum);

  /** Keeps a trial for the next fit. */
  void add(const trial::Observation& observation);
  /** Returns the number of trials of this session. */
  std::size_t size() const { return labels_.size() - history_; }
  /** Returns the best fitness of this session; 0 before the first valid trial. */
  double best_fitness() const { return best_fitness_; }

  /** Trains the forest again on all samples. */
  Status fit();

  /** Returns true if there is a forest to predict with. */
  bool ready() const { return forest_.has_value(); }
  /** Returns the largest label that the forest was fitted to. */
  double greatest_label() const { return greatest_label_; }
  /** Returns the predicted fitness, in GFLOP/s or 1/seconds as in `Observation`. Requires a forest. */
  surrogate::ForestEstimate estimate(const space::Configuration& configuration) const;
  /** Returns the estimate for each configuration. */
  std::vector<surrogate::ForestEstimate> estimates(std::span<const space::Configuration> configurations);

 private:
  surrogate::ForestOptions options_;
  FeatureRows rows_;            ///< rows of the history first
  FeatureRows queries_;         ///< rows of the last estimates, kept to reuse their memory
  std::vector<double> labels_;  ///< one per row
  std::size_t history_ = 0;     ///< number of rows of the history
  double best_fitness_ = 0;
  double greatest_label_ = 0;
  std::optional<surrogate::RandomForest> forest_;
};

}  // namespace kernelscape::tuner
