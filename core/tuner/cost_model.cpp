#include "core/tuner/cost_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace kernelscape {
namespace {

/// AutoTVM's training of a transferred model: fewer rounds, more patience, recall over twice the plan.
constexpr int base_rounds = 400;
constexpr int base_patience = 100;
constexpr double samples_to_halve = 64;
constexpr double least_discount = 0.05;
constexpr float least_best_fitness = 1e-8F;

}  // namespace

double transfer_discount(std::size_t samples) {
  const double discount = std::exp2(-static_cast<double>(samples) / samples_to_halve);
  return discount < least_discount ? 0 : discount;
}

CostModel::CostModel(std::shared_ptr<const FeatureExtractor> features, BoostingParameters parameters,
                     Random random)
    : parameters_(parameters), random_(std::move(random)), rows_(std::move(features)) {}

Result<bool> CostModel::transfer(const TunerContext& context, std::size_t minimum, std::size_t plan_size) {
  FeatureRows rows = rows_.none();
  std::vector<float> fitness;
  const bool same_columns = context.history_columns == rows.names();
  for (std::size_t i = 0; i < context.history.size(); ++i) {
    const Observation& trial = context.history[i];
    if (i < context.history_features.size()) {
      if (!same_columns || context.history_features[i].size() != rows.columns()) continue;
      rows.add_row(context.history_features[i]);
    } else {
      if (!context.space.contains(trial.configuration)) continue;
      rows.add(trial.configuration);
    }
    fitness.push_back(static_cast<float>(trial.fitness));
  }
  if (fitness.empty() || fitness.size() < minimum) return false;
  base_ = TRY(train(rows, fitness, {base_rounds, base_patience, 2 * plan_size}));
  return true;
}

void CostModel::add(const Observation& observation) {
  rows_.add(observation.configuration);
  fitness_.push_back(static_cast<float>(observation.fitness));
  best_fitness_ = std::max(best_fitness_, observation.fitness);
}

Status CostModel::fit(const BoostingRounds& rounds) {
  fitted_samples_ = size();
  if (transfer_discount(fitted_samples_) == 0) base_.reset();
  model_ = TRY(train(rows_, fitness_, rounds));
  return {};
}

Result<std::vector<float>> CostModel::predict(std::span<const Configuration> configurations) const {
  FeatureRows rows = rows_.none();
  rows.assign(configurations);
  if (!model_) return base_->predict(rows.values());
  const auto margins = TRY(base_margins(rows.values()));
  return model_->predict(rows.values(), margins);
}

Result<std::vector<float>> CostModel::base_margins(std::span<const float> rows) const {
  if (!base_) return std::vector<float>{};
  auto margins = TRY(base_->predict(rows));
  for (float& margin : margins) margin *= static_cast<float>(transfer_discount(fitted_samples_));
  return margins;
}

/** In a random order of the rows, as AutoTVM does: pairs for ranking depend on it. */
Result<GradientBoosting> CostModel::train(const FeatureRows& rows, std::span<const float> fitness,
                                          const BoostingRounds& rounds) {
  std::vector<std::size_t> order(fitness.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random_.shuffle(std::span(order));
  const float scale = std::max(std::ranges::max(fitness), least_best_fitness);
  FeatureRows features = rows_.none();
  std::vector<float> labels;
  for (const std::size_t row : order) {
    features.add_row(rows.row(row));
    labels.push_back(fitness[row] / scale);
  }
  const auto margins = TRY(base_margins(features.values()));
  return GradientBoosting::train({features.values(), features.columns(), labels, margins}, parameters_,
                                 rounds);
}

}  // namespace kernelscape
