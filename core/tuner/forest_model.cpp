#include "core/tuner/forest_model.h"

#include <algorithm>

#include "core/tuner/cost_model.h"

namespace kernelscape {

double contextual_epsilon(std::span<const ForestEstimate> unmeasured, double best_fitness) {
  if (unmeasured.empty()) return 0;
  if (!(best_fitness > 0)) return 1;
  double sum = 0;
  for (const ForestEstimate& estimate : unmeasured) sum += estimate.deviation;
  return std::clamp(sum / static_cast<double>(unmeasured.size()) / best_fitness, 0.0, 1.0);
}

ForestModel::ForestModel(std::shared_ptr<const FeatureExtractor> features, ForestOptions options,
                         std::size_t features_per_split)
    : options_(options), rows_(std::move(features)), queries_(rows_.none()) {
  options_.features_per_split =
      std::min(1.0, static_cast<double>(features_per_split) / static_cast<double>(rows_.columns()));
}

bool ForestModel::learn_history(const TunerContext& context, std::size_t minimum) {
  if (!context.history_features.empty()) return false;
  std::vector<const Observation*> members;
  for (const Observation& trial : context.history) {
    if (context.space.contains(trial.configuration)) members.push_back(&trial);
  }
  const bool succeeded =
      std::ranges::any_of(members, [](const Observation* trial) { return trial->fitness > 0; });
  if (!succeeded || members.size() < minimum) return false;
  for (const Observation* trial : members) {
    rows_.add(trial->configuration);
    labels_.push_back(trial->fitness);
  }
  history_ = members.size();
  return true;
}

void ForestModel::add(const Observation& observation) {
  rows_.add(observation.configuration);
  labels_.push_back(observation.fitness);
  best_fitness_ = std::max(best_fitness_, observation.fitness);
}

Status ForestModel::fit() {
  const std::size_t first = transfer_discount(size()) > 0 ? 0 : history_;
  const std::span<const double> labels = std::span(labels_).subspan(first);
  const std::span<const float> features = rows_.values().subspan(first * rows_.columns());
  forest_ = TRY(RandomForest::train({features, rows_.columns(), labels}, options_));
  greatest_label_ = std::ranges::max(labels);
  return {};
}

ForestEstimate ForestModel::estimate(const Configuration& configuration) const {
  FeatureRows row = rows_.none();
  row.add(configuration);
  return forest_->estimate(row.values());
}

std::vector<ForestEstimate> ForestModel::estimates(std::span<const Configuration> configurations) {
  queries_.assign(configurations);
  return forest_->estimates(queries_.values(), options_.threads);
}

}  // namespace kernelscape
