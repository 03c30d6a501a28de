#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/space/performance_predictor.h"
#include "core/surrogate/gradient_boosting.h"
#include "core/tuner/feature_rows.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape {

/** The share of a transferred model's margin after so many samples: 2 ^ -(samples / 64), 0 below 0.05
 * (AutoTVM). */
double transfer_discount(std::size_t samples);

/** Whose cost model of boosted trees: what of it is a setting, and the sources of these. */
enum class BoostingProgram : std::uint8_t { AutoTvm, Heron };

/** What tuners choose of a cost model of boosted trees. */
struct BoostingSettings {
  BoostingParameters parameters = {};
  BoostingRounds rounds = {};

  /** Those of a program's cost model. */
  static SettingsOf<BoostingSettings> table(BoostingProgram program);
};

/**
 * AutoTVM's XGBoost cost model: boosted trees over the features of configurations, labels as shares of the
 * best fitness, with the margin of a model of earlier sessions that fades as samples come in.
 */
class CostModel {
 public:
  CostModel(std::shared_ptr<const FeatureExtractor> features, BoostingParameters parameters, Random random);

  /** Shares of the best fitness that this expects are the margin that fades: for trees that learn labels, in
   * the place of `transfer`. */
  void improve_on(std::shared_ptr<const PerformancePredictor> predictor);

  /**
   * Learns the trials of other sessions as a base model, if those with features of the same columns are at
   * least `minimum`.
   * @return whether they were enough
   */
  Result<bool> transfer(const TunerContext& context, std::size_t minimum, std::size_t plan_size);

  /** Keeps a trial for the next fit. */
  void add(const Observation& observation);
  /** Trials of this session that were added; transferred ones do not count. */
  std::size_t size() const { return fitness_.size(); }
  /** Of the trials that were added, to which the labels are shares; 0 before the first valid one. */
  double best_fitness() const { return best_fitness_; }

  /** Learns all trials anew. */
  Status fit(const BoostingRounds& rounds);

  /** Whether there is a model to predict with. */
  bool ready() const { return model_.has_value() || base_.has_value(); }
  /** Margins, the higher the better; the base model alone before the first fit. Needs `ready`. */
  Result<std::vector<float>> predict(std::span<const Configuration> configurations) const;
  /** Of the trials that the last fit learnt, the fitness that the label 1 stands for. */
  float label_unit() const { return label_unit_; }

 private:
  Result<GradientBoosting> train(const FeatureRows& rows, std::span<const float> fitness,
                                 std::span<const float> margins, const BoostingRounds& rounds);
  Result<std::vector<float>> base_margins(std::span<const float> rows,
                                          std::span<const Configuration> configurations) const;

  BoostingParameters parameters_;
  Random random_;
  FeatureRows rows_;  ///< of all trials
  std::vector<Configuration> configurations_;
  std::vector<float> fitness_;
  double best_fitness_ = 0;
  std::size_t fitted_samples_ = 0;
  float label_unit_ = 0;
  std::shared_ptr<const PerformancePredictor> predictor_;
  std::optional<GradientBoosting> model_;
  std::optional<GradientBoosting> base_;
};

}  // namespace kernelscape
