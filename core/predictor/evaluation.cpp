#include "core/predictor/evaluation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/analysis/comparison/random_search.h"
#include "core/analysis/comparison/rank_correlation.h"
#include "core/base/quantile.h"

namespace kernelscape::predictor {
namespace {

constexpr std::array<std::size_t, 4> regret_points{1, 4, 16, 64};

/** Returns the positions of samples by descending prediction; NaN comes last. */
std::vector<std::size_t> by_prediction(std::span<const float> predictions) {
  std::vector<std::size_t> order(predictions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto score = [&](std::size_t place) {
    const float prediction = predictions[place];
    return std::isnan(prediction) ? -std::numeric_limits<float>::infinity() : prediction;
  };
  std::ranges::stable_sort(order, std::ranges::greater{}, score);
  return order;
}

std::vector<RegretAt> regrets(std::span<const float> fitness, std::span<const float> predictions) {
  const std::vector<double> members(fitness.begin(), fitness.end());
  const analysis::RandomSearchExpectation random(members);
  const double best = random.optimum();
  const std::vector<std::size_t> order = by_prediction(predictions);
  std::vector<RegretAt> result;
  double found = 0;
  std::size_t measured = 0;
  for (const std::size_t point : regret_points) {
    if (point > members.size()) break;
    while (measured < point) found = std::max(found, members[order[measured++]]);
    result.push_back(
        {static_cast<std::int64_t>(point), (best - found) / best, (best - random.best_after(point)) / best});
  }
  return result;
}

}  // namespace

double kendall_tau(std::span<const float> first, std::span<const float> second) {
  const std::vector<double> a(first.begin(), first.end());
  const std::vector<double> b(second.begin(), second.end());
  return analysis::kendall_tau_b(a, b).value_or(0);
}

TaskOutcome task_outcome(const TaskSamples& samples, DataPart part, std::span<const float> predictions) {
  TaskOutcome outcome;
  outcome.task = samples.task.text;
  outcome.template_name = samples.other_template.name;
  outcome.part = part;
  outcome.samples = std::ssize(samples.fitness);
  outcome.kendall_tau = kendall_tau(predictions, samples.fitness);
  outcome.regret = regrets(samples.fitness, predictions);
  if (!samples.fitness.empty()) outcome.best_fitness = std::ranges::max(samples.fitness);
  return outcome;
}

double median_tau(std::span<const TaskOutcome> outcomes, DataPart part) {
  std::vector<double> taus;
  for (const TaskOutcome& outcome : outcomes)
    if (outcome.part == part) taus.push_back(outcome.kendall_tau);
  return taus.empty() ? std::numeric_limits<double>::quiet_NaN() : base::quantile(std::move(taus), 0.5);
}

std::vector<RegretAt> median_regret(std::span<const TaskOutcome> outcomes, DataPart part) {
  struct Regrets {
    std::vector<double> predicted;
    std::vector<double> random;
  };
  std::map<std::int64_t, Regrets> of_tasks;  // by measurements
  for (const TaskOutcome& outcome : outcomes) {
    if (outcome.part != part) continue;
    for (const RegretAt& at : outcome.regret) {
      of_tasks[at.measurements].predicted.push_back(at.predicted);
      of_tasks[at.measurements].random.push_back(at.random);
    }
  }
  std::vector<RegretAt> medians;
  for (const auto& [measurements, found] : of_tasks)
    medians.push_back(
        {measurements, base::quantile(found.predicted, 0.5), base::quantile(found.random, 0.5)});
  return medians;
}

}  // namespace kernelscape::predictor
