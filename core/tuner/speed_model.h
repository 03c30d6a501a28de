#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/surrogate/gradient_boosting.h"
#include "core/tuner/feature_rows.h"
#include "core/tuner/tuner.h"

namespace kernelscape {

/**
 * Heron's cost model: boosted trees over features, which learn ln(1 / seconds) of valid trials as shares of
 * the largest one.
 */
class SpeedModel {
 public:
  /** @param flops of the task, 0: unknown: what turns fitness into seconds */
  SpeedModel(std::shared_ptr<const FeatureExtractor> features, BoostingParameters parameters,
             BoostingRounds rounds, double flops);

  /** Trials of other sessions, as far as they have features: of members, or those that came with them. */
  void learn_history(const TunerContext& context);
  /** Keeps a trial for the next fit, unless it failed. */
  void add(const Observation& observation);

  /** Learns all trials anew, if one came since the last time. */
  Status fit();
  /** Whether it has learnt anything. */
  bool ready() const { return model_.has_value(); }

  /** Larger is faster; 1 for all of them before it is ready. Of any well-formed configurations. */
  Result<std::vector<double>> predict(std::span<const Configuration> configurations) const;

  /** Of the features, in their order. */
  const std::vector<std::string>& columns() const { return features_->names(); }
  /** How much each column matters, 0 where no tree splits on it. Needs `ready`. */
  std::vector<double> column_scores(SplitScore score) const { return model_->column_scores(score); }

 private:
  float label_of(double fitness) const;

  std::shared_ptr<const FeatureExtractor> features_;
  BoostingParameters parameters_;
  BoostingRounds rounds_;
  double flops_;
  FeatureRows rows_;           ///< of valid trials
  std::vector<float> labels_;  ///< ln(1 / seconds)
  std::size_t fitted_ = 0;     ///< rows at the last fit
  std::optional<GradientBoosting> model_;
};

}  // namespace kernelscape
