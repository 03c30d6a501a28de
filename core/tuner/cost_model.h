#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/space/performance_predictor.h"
#include "core/surrogate/gradient_boosting.h"
#include "core/tuner/feature_rows.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {

/**
 * Returns the weight of a transferred model's margin after `samples` samples: 2 ^ -(samples / 64), 0 below
 * 0.05 (AutoTVM).
 */
double transfer_discount(std::size_t samples);

/**
 * The program whose cost model of boosted trees is used. It determines which parameters are settings, and the
 * sources of the settings.
 */
enum class BoostingProgram : std::uint8_t { AutoTvm, Heron };

/** Settings of a cost model of boosted trees. */
struct BoostingSettings {
  surrogate::BoostingParameters parameters = {};
  surrogate::BoostingRounds rounds = {};

  /** Returns the settings of a program's cost model. */
  static SettingsOf<BoostingSettings> table(BoostingProgram program);
};

/**
 * AutoTVM's XGBoost cost model: boosted trees over the features of configurations. Labels are shares of the
 * best fitness. The margin of a model of earlier sessions fades as samples arrive.
 */
class CostModel {
 public:
  CostModel(std::shared_ptr<const space::FeatureExtractor> features, surrogate::BoostingParameters parameters,
            base::Random random);

  /**
   * Uses the shares of the best fitness that `predictor` predicts as the margin that fades. For trees that
   * learn labels; replaces `transfer`.
   */
  void improve_on(std::shared_ptr<const space::PerformancePredictor> predictor);

  /**
   * Trains a base model on the trials of other sessions if at least `minimum` of them have features of the
   * same columns.
   * @return true if the base model was trained
   */
  Result<bool> transfer(const Context& context, std::size_t minimum, std::size_t plan_size);

  /** Keeps a trial for the next fit. */
  void add(const trial::Observation& observation);
  /** Returns the number of trials of this session that were added; transferred trials do not count. */
  std::size_t size() const { return fitness_.size(); }
  /**
   * Returns the best fitness of the added trials, of which the labels are shares; 0 before the first valid
   * trial.
   */
  double best_fitness() const { return best_fitness_; }

  /** Trains the model again on all trials. */
  Status fit(const surrogate::BoostingRounds& rounds);

  /** Returns true if there is a model to predict with. */
  bool ready() const { return model_.has_value() || base_.has_value(); }
  /** Returns margins, higher is better; the base model's alone before the first fit. Requires `ready`. */
  Result<std::vector<float>> predict(std::span<const space::Configuration> configurations) const;
  /** Returns the fitness that the label 1 stood for in the last fit. */
  float label_unit() const { return label_unit_; }

 private:
  Result<surrogate::GradientBoosting> train(const FeatureRows& rows, std::span<const float> fitness,
                                            std::span<const float> margins,
                                            const surrogate::BoostingRounds& rounds);
  Result<std::vector<float>> base_margins(std::span<const float> rows,
                                          std::span<const space::Configuration> configurations) const;

  surrogate::BoostingParameters parameters_;
  base::Random random_;
  FeatureRows rows_;  ///< rows of all trials
  std::vector<space::Configuration> configurations_;
  std::vector<float> fitness_;
  double best_fitness_ = 0;
  std::size_t fitted_samples_ = 0;
  float label_unit_ = 0;
  std::shared_ptr<const space::PerformancePredictor> predictor_;
  std::optional<surrogate::GradientBoosting> model_;
  std::optional<surrogate::GradientBoosting> base_;
};

}  // namespace kernelscape::tuner
