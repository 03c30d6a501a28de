#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/surrogate/random_forest.h"
#include "core/tuner/feature_rows.h"
#include "core/tuner/tuner.h"

namespace kernelscape {

/**
 * AdaTune's contextual epsilon (equation 3): the mean of the deviations that a surrogate predicts of
 * unmeasured configurations as a share of the best fitness, at most 1. 1 where that is 0: nothing found yet
 * is worth keeping to. 0 of no predictions: nothing is left to explore.
 */
double contextual_epsilon(std::span<const ForestEstimate> unmeasured, double best_fitness);

/**
 * AdaTune's surrogate (section 4.2.1): a random forest over the features of configurations that predicts
 * fitness with an uncertainty. Labels are raw fitness, errors stay in as 0.
 */
class ForestModel {
 public:
  /** @param features_per_split columns drawn per node, all where there are fewer; `options` need no share */
  ForestModel(std::shared_ptr<const FeatureExtractor> features, ForestOptions options,
              std::size_t features_per_split);

  /**
   * Takes the trials of other sessions that are members of this space, if they are at least `minimum` and one
   * is no error. They count as samples until this session has as many of its own as AutoTVM's transferred
   * model takes to fade (`transfer_discount`). Features of other spaces' trials are no use: their fitness is
   * of another scale.
   * @return whether it took them
   */
  bool learn_history(const TunerContext& context, std::size_t minimum);

  /** Keeps a trial for the next fit. */
  void add(const Observation& observation);
  /** Trials of this session. */
  std::size_t size() const { return labels_.size() - history_; }
  /** Of this session; 0 before one succeeded. */
  double best_fitness() const { return best_fitness_; }

  /** Learns all samples anew. */
  Status fit();

  /** Whether there is a forest to predict with. */
  bool ready() const { return forest_.has_value(); }
  /** Of all that the forest was fitted to. */
  double greatest_label() const { return greatest_label_; }
  /** Predicted fitness, GFLOP/s or 1/seconds as in `Observation`. Needs a forest. */
  ForestEstimate estimate(const Configuration& configuration) const;
  /** The same of each of them. */
  std::vector<ForestEstimate> estimates(std::span<const Configuration> configurations);

 private:
  ForestOptions options_;
  FeatureRows rows_;            ///< those of the history first
  FeatureRows queries_;         ///< the last ones, for their memory
  std::vector<double> labels_;  ///< one per row
  std::size_t history_ = 0;     ///< rows
  double best_fitness_ = 0;
  double greatest_label_ = 0;
  std::optional<RandomForest> forest_;
};

}  // namespace kernelscape
