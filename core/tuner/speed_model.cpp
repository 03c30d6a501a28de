#include "core/tuner/speed_model.h"

#include <algorithm>
#include <cmath>

namespace kernelscape::tuner {
namespace {

constexpr double flops_per_gigaflop = 1e9;
constexpr float min_scale = 1e-6F;

}  // namespace

SpeedModel::SpeedModel(std::shared_ptr<const space::FeatureExtractor> features,
                       surrogate::BoostingParameters parameters, surrogate::BoostingRounds rounds,
                       double flops)
    : features_(std::move(features)),
      parameters_(parameters),
      rounds_(rounds),
      flops_(flops),
      rows_(features_) {}

void SpeedModel::learn_history(const Context& context) {
  const bool same_columns = context.history_columns == rows_.names();
  for (std::size_t i = 0; i < context.history.size(); ++i) {
    const trial::Observation& trial = context.history[i];
    if (i >= context.history_features.size()) {
      if (context.space.contains(trial.configuration)) add(trial);
    } else if (trial.fitness > 0 && same_columns && context.history_features[i].size() == rows_.columns()) {
      rows_.add_row(context.history_features[i]);
      labels_.push_back(label_of(trial.fitness));
    }
  }
}

void SpeedModel::add(const trial::Observation& observation) {
  if (observation.fitness <= 0) return;
  rows_.add(observation.configuration);
  labels_.push_back(label_of(observation.fitness));
}

float SpeedModel::label_of(double fitness) const {
  const double per_second = flops_ > 0 ? fitness * flops_per_gigaflop / flops_ : fitness;
  return static_cast<float>(std::log(per_second));
}

Status SpeedModel::fit() {
  if (labels_.size() == fitted_) return {};
  fitted_ = labels_.size();
  // If all kernels take over a second, the logarithms are negative: dividing by the magnitude keeps the sign,
  // and so the order.
  const float largest = std::abs(std::ranges::max(labels_));
  const float scale = largest > min_scale ? largest : 1;
  std::vector<float> labels;
  for (const float label : labels_) labels.push_back(label / scale);
  model_ = TRY(surrogate::GradientBoosting::train({rows_.values(), rows_.columns(), labels, {}}, parameters_,
                                                  rounds_));
  return {};
}

Result<std::vector<double>> SpeedModel::predict(std::span<const space::Configuration> configurations) const {
  if (!model_) return std::vector<double>(configurations.size(), 1.0);
  FeatureRows rows = rows_.none();
  rows.assign(configurations);
  const std::vector<float> predictions = TRY(model_->predict(rows.values()));
  return std::vector<double>(predictions.begin(), predictions.end());
}

}  // namespace kernelscape::tuner
