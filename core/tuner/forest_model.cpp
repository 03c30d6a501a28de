#include "core/tuner/forest_model.h"

#include <algorithm>

#include "core/tuner/cost_model.h"

namespace kernelscape::tuner {

double contextual_epsilon(std::span<const surrogate::ForestEstimate> unmeasured, double best_fitness) {
  if (unmeasured.empty()) return 0;
  if (!(best_fitness > 0)) return 1;
  double sum = 0;
  for (const surrogate::ForestEstimate& estimate : unmeasured) sum += estimate.deviation;
  return std::clamp(sum / static_cast<double>(unmeasured.size()) / best_fitness, 0.0, 1.0);
}

ForestModel::ForestModel(std::shared_ptr<const space::FeatureExtractor> features,
                         surrogate::ForestOptions options, std::size_t features_per_split)
    : options_(options), rows_(std::move(features)), queries_(rows_.none()) {
  options_.features_per_split =
      std::min(1.0, static_cast<double>(features_per_split) / static_cast<double>(rows_.columns()));
}

bool ForestModel::learn_history(const Context& context, std::size_t minimum) {
  if (!context.history_features.empty()) return false;
  std::vector<const trial::Observation*> members;
  for (const trial::Observation& trial : context.history) {
    if (context.space.contains(trial.configuration)) members.push_back(&trial);
  }
  const bool succeeded =
      std::ranges::any_of(members, [](const trial::Observation* trial) { return trial->fitness > 0; });
  if (!succeeded || members.size() < minimum) return false;
  for (const trial::Observation* trial : members) {
    rows_.add(trial->configuration);
    labels_.push_back(trial->fitness);
  }
  history_ = members.size();
  return true;
}

void ForestModel::add(const trial::Observation& observation) {
  rows_.add(observation.configuration);
  labels_.push_back(observation.fitness);
  best_fitness_ = std::max(best_fitness_, observation.fitness);
}

Status ForestModel::fit() {
  const std::size_t first = transfer_discount(size()) > 0 ? 0 : history_;
  const std::span<const double> labels = std::span(labels_).subspan(first);
  const std::span<const float> features = rows_.values().subspan(first * rows_.columns());
  forest_ = TRY(surrogate::RandomForest::train({features, rows_.columns(), labels}, options_));
  greatest_label_ = std::ranges::max(labels);
  return {};
}

surrogate::ForestEstimate ForestModel::estimate(const space::Configuration& configuration) const {
  FeatureRows row = rows_.none();
  row.add(configuration);
  return forest_->estimate(row.values());
}

std::vector<surrogate::ForestEstimate> ForestModel::estimates(
    std::span<const space::Configuration> configurations) {
  queries_.assign(configurations);
  return forest_->estimates(queries_.values(), options_.threads);
}

}  // namespace kernelscape::tuner
