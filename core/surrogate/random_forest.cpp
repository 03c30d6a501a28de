#include "core/surrogate/random_forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/surrogate/worker_threads.h"

namespace kernelscape::surrogate {
namespace {

constexpr std::size_t rows_per_task = 4096;

std::unexpected<Error> refuse(const std::string& reason, std::string hint = {}) {
  return fail(ErrorCode::InvalidArgument, "random forest: " + reason, std::move(hint));
}

std::size_t draw_count(const ForestOptions& options, std::size_t rows) {
  if (options.bootstrap_share <= 0) return rows;
  const double draws = std::round(options.bootstrap_share * static_cast<double>(rows));
  return std::max<std::size_t>(1, static_cast<std::size_t>(draws));
}

Status check_options(const ForestOptions& options) {
  if (options.trees < 1 || options.trees > 10'000)
    return refuse(fmt::format("{} trees are not between 1 and 10,000", options.trees));
  if (options.minimum_leaf < 1) return refuse("a leaf needs at least one row");
  if (options.maximum_depth < 0)
    return refuse(fmt::format("its depth {} is negative", options.maximum_depth), "write 0 for no limit");
  if (!(options.features_per_split > 0 && options.features_per_split <= 1))
    return refuse(fmt::format("the share {} of features per split is not above 0 and at most 1",
                              options.features_per_split));
  if (!(options.bootstrap_share >= 0 && options.bootstrap_share <= 1))
    return refuse(
        fmt::format("the share {} of rows per tree is not between 0 and 1", options.bootstrap_share));
  if (options.max_bins < 2 || options.max_bins > BinnedFeatures::max_bins)
    return refuse(
        fmt::format("{} bins are not between 2 and {}", options.max_bins, BinnedFeatures::max_bins));
  return {};
}

Status check_data(const ForestData& data) {
  const std::size_t rows = data.labels.size();
  if (rows == 0) return refuse("there are no rows for training", "measure some configurations first");
  if (rows > TreeData::max_rows)
    return refuse(fmt::format("{} rows are over the limit of {}", rows, TreeData::max_rows), "use a sample");
  if (data.columns == 0 || data.features.size() != rows * data.columns)
    return fail(ErrorCode::Internal,
                fmt::format("random forest: {} labels do not fit {} features in {} columns", rows,
                            data.features.size(), data.columns));
  if (!std::ranges::all_of(data.features, [](float value) { return std::isfinite(value); }) ||
      !std::ranges::all_of(data.labels, [](double value) { return std::isfinite(value); }))
    return fail(ErrorCode::Internal, "random forest: a feature or label is not a finite number");
  const auto [least, greatest] = std::ranges::minmax(data.labels);
  if (!std::isfinite(greatest - least))
    return fail(ErrorCode::Internal, "random forest: the range of the labels is too large");
  return {};
}

base::Random tree_random(const ForestOptions& options, int tree, std::string_view purpose) {
  return base::Random(options.seed).fork(fmt::format("tree {} {}", tree, purpose));
}

/** The rows that each tree has drawn. */
using DrawnRows = std::vector<std::vector<bool>>;

/** Returns R2 of the rows predicted by the trees that have not drawn them, or nullopt if there are none. */
std::optional<double> score_out_of_bag(const ForestData& data, const std::vector<RegressionTree>& trees,
                                       const DrawnRows& drawn, int threads) {
  const std::size_t rows = data.labels.size();
  std::vector<double> sums(rows);
  std::vector<std::uint32_t> votes(rows);
  run_parallel((rows + rows_per_task - 1) / rows_per_task, threads, [&](std::size_t task) {
    const std::size_t last = std::min(rows, (task + 1) * rows_per_task);
    for (std::size_t tree = 0; tree < trees.size(); ++tree) {
      for (std::size_t row = task * rows_per_task; row < last; ++row) {
        if (drawn[tree][row]) continue;
        sums[row] += trees[tree].predict(data.features.subspan(row * data.columns, data.columns));
        ++votes[row];
      }
    }
    return true;
  });
  double label_sum = 0;
  double count = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (votes[row] == 0) continue;
    label_sum += data.labels[row];
    ++count;
  }
  double error = 0;
  double deviation = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (votes[row] == 0) continue;
    error += std::pow(data.labels[row] - sums[row] / votes[row], 2);
    deviation += std::pow(data.labels[row] - label_sum / count, 2);
  }
  if (!(deviation > 0)) return std::nullopt;
  return 1 - error / deviation;
}

ForestEstimate estimate_of(std::span<const double> predictions) {
  const auto trees = static_cast<double>(predictions.size());
  double sum = 0;
  for (const double prediction : predictions) sum += prediction;
  const double mean = sum / trees;
  double squares = 0;
  for (const double prediction : predictions) squares += (prediction - mean) * (prediction - mean);
  return {mean, std::sqrt(squares / trees)};
}

}  // namespace

std::vector<std::uint32_t> bootstrap_counts(const ForestOptions& options, int tree, std::size_t rows) {
  if (options.bootstrap_share <= 0) return std::vector<std::uint32_t>(rows, 1);
  std::vector<std::uint32_t> counts(rows, 0);
  base::Random random = tree_random(options, tree, "rows");
  const std::size_t draws = draw_count(options, rows);
  for (std::size_t i = 0; i < draws; ++i) ++counts[random.below(rows)];
  return counts;
}

Result<RandomForest> RandomForest::train(const ForestData& data, const ForestOptions& options,
                                         const Proceed& proceed) {
  TRY(check_options(options));
  TRY(check_data(data));
  const BinnedFeatures features(data.features, data.columns, options.max_bins);
  const std::size_t rows = data.labels.size();
  const TreeData tree_data(features, data.labels, draw_count(options, rows));
  const double share = std::round(options.features_per_split * static_cast<double>(data.columns));
  const TreeOptions tree_options{
      .minimum_leaf = options.minimum_leaf,
      .maximum_depth = options.maximum_depth,
      .columns_per_split = std::max<std::size_t>(1, static_cast<std::size_t>(share)),
      .constant_columns = options.constant_columns};
  const auto count = static_cast<std::size_t>(options.trees);
  std::vector<std::optional<RegressionTree>> grown(count);
  DrawnRows drawn(count);
  std::atomic<int> finished{0};
  const auto continues = [&] { return !proceed || proceed(static_cast<double>(finished) / options.trees); };
  const bool complete = run_parallel(count, options.threads, [&](std::size_t index) {
    if (!continues()) return false;
    const int tree = static_cast<int>(index);
    const std::vector<std::uint32_t> counts = bootstrap_counts(options, tree, rows);
    drawn[index].resize(rows);
    for (std::size_t row = 0; row < rows; ++row) drawn[index][row] = counts[row] > 0;
    grown[index] =
        grow_tree(tree_data, counts, tree_options, tree_random(options, tree, "columns"), continues);
    ++finished;
    return grown[index].has_value();
  });
  if (!complete) return fail(ErrorCode::Refused, "random forest: its training was stopped", "start it again");
  RandomForest forest;
  forest.columns_ = data.columns;
  for (std::optional<RegressionTree>& tree : grown) forest.trees_.push_back(std::move(*tree));
  forest.out_of_bag_r2_ = score_out_of_bag(data, forest.trees_, drawn, options.threads);
  return forest;
}

double RandomForest::predict(std::span<const float> row) const {
  double sum = 0;
  for (const RegressionTree& tree : trees_) sum += tree.predict(row);
  return sum / static_cast<double>(trees_.size());
}

ForestEstimate RandomForest::estimate(std::span<const float> row) const {
  return estimate_of(tree_predictions(row));
}

std::vector<ForestEstimate> RandomForest::estimates(std::span<const float> rows, int threads) const {
  const std::size_t count = rows.size() / columns_;
  std::vector<ForestEstimate> found(count);
  run_parallel((count + rows_per_task - 1) / rows_per_task, threads, [&](std::size_t task) {
    const std::size_t last = std::min(count, (task + 1) * rows_per_task);
    std::vector<double> predictions(trees_.size());
    for (std::size_t row = task * rows_per_task; row < last; ++row) {
      const std::span<const float> features = rows.subspan(row * columns_, columns_);
      for (std::size_t tree = 0; tree < trees_.size(); ++tree)
        predictions[tree] = trees_[tree].predict(features);
      found[row] = estimate_of(predictions);
    }
    return true;
  });
  return found;
}

std::vector<double> RandomForest::tree_predictions(std::span<const float> row) const {
  std::vector<double> predictions;
  predictions.reserve(trees_.size());
  for (const RegressionTree& tree : trees_) predictions.push_back(tree.predict(row));
  return predictions;
}

}  // namespace kernelscape::surrogate
