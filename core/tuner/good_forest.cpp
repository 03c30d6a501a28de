#include "core/tuner/good_forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kernelscape::tuner {
namespace {

/// Least difference of a good time to the quantile, in units of the quantile: equal times weigh the same.
constexpr double min_difference = 1e-5;

/** Returns the number of the leaf of a tree that a row reaches. */
std::uint32_t leaf_of(const surrogate::RegressionTree& tree, std::span<const float> row) {
  const std::vector<surrogate::TreeNode>& nodes = tree.nodes();
  std::uint32_t node = 0;
  while (!nodes[node].is_leaf()) {
    const bool above = row[static_cast<std::size_t>(nodes[node].column)] > nodes[node].threshold;
    node = nodes[node].below + (above ? 1 : 0);
  }
  return node;
}

/** Returns a quantile with linear interpolation between the values. */
double quantile_of(std::vector<double> values, double quantile) {
  std::ranges::sort(values);
  const double place = quantile * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (place - static_cast<double>(below));
}

}  // namespace

std::vector<GoodLabel> good_labels(std::span<const trial::Observation> trials, double quantile) {
  std::vector<double> times;
  for (const trial::Observation& trial : trials)
    if (trial.fitness > 0) times.push_back(1 / trial.fitness);
  std::vector<GoodLabel> labels(trials.size());
  if (times.empty()) return labels;
  const double most = quantile_of(times, quantile);
  double sum = 0;
  double good = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!(trials[i].fitness > 0) || 1 / trials[i].fitness > most) continue;
    labels[i] = {true, std::max(min_difference, 1 - 1 / trials[i].fitness / most)};
    sum += labels[i].weight;
    ++good;
  }
  for (GoodLabel& label : labels)
    if (label.good) label.weight *= good / sum;
  return labels;
}

GoodForest::GoodForest(std::shared_ptr<const space::FeatureExtractor> features, int trees, std::uint64_t seed)
    : rows_(std::move(features)), options_{.trees = trees, .seed = seed} {
  options_.features_per_split = 1 / std::sqrt(static_cast<double>(std::max<std::size_t>(1, rows_.columns())));
}

Status GoodForest::fit(std::span<const trial::Observation> trials, double quantile) {
  forest_.reset();
  const std::vector<GoodLabel> labels = good_labels(trials, quantile);
  const auto good = std::ranges::count(labels, true, &GoodLabel::good);
  if (good == 0 || good == std::ssize(labels)) return {};
  FeatureRows rows = rows_.none();
  std::vector<double> targets;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const double copies = std::max(1.0, std::round(labels[i].weight));
    for (int copy = 0; copy < static_cast<int>(copies); ++copy) {
      rows.add(trials[i].configuration);
      targets.push_back(labels[i].good ? 1 : 0);
    }
  }
  forest_ = TRY(surrogate::RandomForest::train({rows.values(), rows.columns(), targets}, options_));
  return {};
}

std::vector<std::size_t> GoodForest::select(std::span<const space::Configuration> configurations,
                                            std::size_t count, double penalty, base::Random& random) {
  std::vector<std::size_t> left(configurations.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  count = std::min(count, left.size());
  if (!forest_) {
    random.shuffle(std::span(left));
    left.resize(count);
    return left;
  }
  rows_.assign(configurations);
  std::vector<double> probabilities;
  std::vector<std::vector<std::uint32_t>> leaves;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    probabilities.push_back(forest_->predict(rows_.row(i)));
    leaves.emplace_back();
    for (const surrogate::RegressionTree& tree : forest_->trees())
      leaves.back().push_back(leaf_of(tree, rows_.row(i)));
  }
  std::vector<double> similarities(configurations.size());  // sums over those selected
  std::vector<std::size_t> selected;
  while (selected.size() < count) {
    const double before = std::max(1.0, static_cast<double>(selected.size()));
    const auto best = std::ranges::max_element(
        left, {}, [&](std::size_t i) { return probabilities[i] - penalty * similarities[i] / before; });
    selected.push_back(*best);
    left.erase(best);
    for (const std::size_t i : left) {
      double same = 0;
      for (std::size_t tree = 0; tree < leaves[i].size(); ++tree)
        same += leaves[i][tree] == leaves[selected.back()][tree] ? 1 : 0;
      similarities[i] += same / static_cast<double>(leaves[i].size());
    }
  }
  return selected;
}

}  // namespace kernelscape::tuner
