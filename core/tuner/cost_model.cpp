#include "core/tuner/cost_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace kernelscape::tuner {
namespace {

/// AutoTVM's training of a transferred model: fewer rounds, more patience, recall of twice the plan size.
constexpr int base_rounds = 400;
constexpr int base_patience = 100;
constexpr double samples_to_halve = 64;
constexpr double min_discount = 0.05;
constexpr float min_best_fitness = 1e-8F;

float label_unit_of(std::span<const float> fitness) {
  return std::max(std::ranges::max(fitness), min_best_fitness);
}

}  // namespace

SettingsOf<BoostingSettings> BoostingSettings::table(BoostingProgram program) {
  const bool heron = program == BoostingProgram::Heron;
  const std::string model = heron ? "Heron's artifact, cost model" : "AutoTVM, XGBoostCostModel";
  const auto rounds = [](auto member) { return submember(&BoostingSettings::rounds, member); };
  const auto trees = [](auto member) { return submember(&BoostingSettings::parameters, member); };
  SettingsOf<BoostingSettings> table;
  table
      .add("boosting_rounds", rounds(&surrogate::BoostingRounds::maximum), 1, 1'000'000, "trees", "at most",
           model)
      .add("boosting_patience", rounds(&surrogate::BoostingRounds::patience), 1, 1'000'000, "trees",
           "number of trees without a better recall on the training data after which training stops", model);
  if (heron)
    table.add("recall_at", rounds(&surrogate::BoostingRounds::recall_at), 1, 100'000, "trials",
              "n of the average recall that stops training", model);
  table
      .add("maximum_depth", trees(&surrogate::BoostingParameters::maximum_depth), 1, 64, "",
           "maximum depth of a tree", model)
      .add("minimum_split_loss", trees(&surrogate::BoostingParameters::minimum_split_loss), 0, 1e6, "",
           "XGBoost's gamma", model)
      .add("minimum_child_weight", trees(&surrogate::BoostingParameters::minimum_child_weight), 0, 1e6, "",
           "XGBoost's min_child_weight", model);
  if (!heron)
    table.add("subsample", trees(&surrogate::BoostingParameters::subsample), 0.01, 1, "of the rows",
              "share of the rows from which a tree is grown", model);
  table
      .add("learning_rate", trees(&surrogate::BoostingParameters::learning_rate), 1e-6, 1, "",
           "XGBoost's eta", model)
      .add("l2_regularisation", trees(&surrogate::BoostingParameters::l2_regularisation), 0, 1e6, "",
           "XGBoost's lambda", model);
  if (!heron)
    table.add("l1_regularisation", trees(&surrogate::BoostingParameters::l1_regularisation), 0, 1e6, "",
              "XGBoost's alpha", model);
  return table;
}

double transfer_discount(std::size_t samples) {
  const double discount = std::exp2(-static_cast<double>(samples) / samples_to_halve);
  return discount < min_discount ? 0 : discount;
}

CostModel::CostModel(std::shared_ptr<const space::FeatureExtractor> features,
                     surrogate::BoostingParameters parameters, base::Random random)
    : parameters_(parameters), random_(std::move(random)), rows_(std::move(features)) {}

void CostModel::improve_on(std::shared_ptr<const space::PerformancePredictor> predictor) {
  predictor_ = std::move(predictor);
}

Result<bool> CostModel::transfer(const Context& context, std::size_t minimum, std::size_t plan_size) {
  FeatureRows rows = rows_.none();
  std::vector<float> fitness;
  const bool same_columns = context.history_columns == rows.names();
  for (std::size_t i = 0; i < context.history.size(); ++i) {
    const trial::Observation& trial = context.history[i];
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
  base_ = TRY(train(rows, fitness, {}, {base_rounds, base_patience, 2 * plan_size}));
  return true;
}

void CostModel::add(const trial::Observation& observation) {
  rows_.add(observation.configuration);
  configurations_.push_back(observation.configuration);
  fitness_.push_back(static_cast<float>(observation.fitness));
  best_fitness_ = std::max(best_fitness_, observation.fitness);
}

Status CostModel::fit(const surrogate::BoostingRounds& rounds) {
  fitted_samples_ = size();
  label_unit_ = label_unit_of(fitness_);
  if (transfer_discount(fitted_samples_) == 0) {
    base_.reset();
    predictor_.reset();
  }
  const auto margins = TRY(base_margins(rows_.values(), configurations_));
  model_ = TRY(train(rows_, fitness_, margins, rounds));
  return {};
}

Result<std::vector<float>> CostModel::predict(std::span<const space::Configuration> configurations) const {
  FeatureRows rows = rows_.none();
  rows.assign(configurations);
  if (!model_) return base_->predict(rows.values());
  const auto margins = TRY(base_margins(rows.values(), configurations));
  return model_->predict(rows.values(), margins);
}

Result<std::vector<float>> CostModel::base_margins(
    std::span<const float> rows, std::span<const space::Configuration> configurations) const {
  if (!base_ && !predictor_) return std::vector<float>{};
  auto margins = TRY(base_ ? base_->predict(rows) : predictor_->predict(configurations));
  const auto discount = static_cast<float>(transfer_discount(fitted_samples_));
  const float unit = base_ ? 1 : label_unit_;
  for (float& margin : margins) margin = margin / unit * discount;
  return margins;
}

/** Trains with the rows in random order, as AutoTVM does: pairs for ranking depend on the order. */
Result<surrogate::GradientBoosting> CostModel::train(const FeatureRows& rows, std::span<const float> fitness,
                                                     std::span<const float> margins,
                                                     const surrogate::BoostingRounds& rounds) {
  std::vector<std::size_t> order(fitness.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random_.shuffle(std::span(order));
  const float unit = label_unit_of(fitness);
  FeatureRows features = rows_.none();
  std::vector<float> labels;
  std::vector<float> ordered_margins;
  for (const std::size_t row : order) {
    features.add_row(rows.row(row));
    labels.push_back(fitness[row] / unit);
    if (!margins.empty()) ordered_margins.push_back(margins[row]);
  }
  return surrogate::GradientBoosting::train({features.values(), features.columns(), labels, ordered_margins},
                                            parameters_, rounds);
}

}  // namespace kernelscape::tuner
