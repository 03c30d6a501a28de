#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/surrogate/gradient_boosting.h"
#include "core/tuner/feature_rows.h"
#include "core/tuner/tuner.h"

namespace kernelscape::tuner {

/**
 * Heron's cost model: boosted trees over features that learn ln(1 / seconds) of valid trials, as shares of
 * the largest value.
 */
class SpeedModel {
 public:
  /** @param flops floating-point operations of the task, to convert fitness to seconds; 0: unknown */
  SpeedModel(std::shared_ptr<const space::FeatureExtractor> features,
             surrogate::BoostingParameters parameters, surrogate::BoostingRounds rounds, double flops);

  /**
   * Adds the trials of other sessions that have features: members of the space, and trials that carry their
   * features.
   */
  void learn_history(const Context& context);
  /** Keeps a trial for the next fit, unless it failed. */
  void add(const trial::Observation& observation);

  /** Trains the model again on all trials if a trial was added since the last fit. */
  Status fit();
  /** Returns true if the model was trained. */
  bool ready() const { return model_.has_value(); }

  /**
   * Returns one prediction per configuration, larger is faster; 1 for all before the model is ready. Accepts
   * any well-formed configurations.
   */
  Result<std::vector<double>> predict(std::span<const space::Configuration> configurations) const;

  /** Returns the names of the features, in their order. */
  const std::vector<std::string>& columns() const { return features_->names(); }
  /** Returns the importance of each column, 0 where no tree splits on the column. Requires `ready`. */
  std::vector<double> column_scores(surrogate::SplitScore score) const {
    return model_->column_scores(score);
  }

 private:
  float label_of(double fitness) const;

  std::shared_ptr<const space::FeatureExtractor> features_;
  surrogate::BoostingParameters parameters_;
  surrogate::BoostingRounds rounds_;
  double flops_;
  FeatureRows rows_;           ///< rows of valid trials
  std::vector<float> labels_;  ///< ln(1 / seconds)
  std::size_t fitted_ = 0;     ///< rows at the last fit
  std::optional<surrogate::GradientBoosting> model_;
};

}  // namespace kernelscape::tuner
