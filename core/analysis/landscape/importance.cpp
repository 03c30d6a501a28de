#include "core/analysis/landscape/importance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <unordered_map>

#include "core/analysis/landscape/value_bins.h"
#include "core/analysis/landscape/variance_decomposition.h"

namespace kernelscape::analysis {
namespace {

constexpr std::size_t max_ranges =
    4096;  ///< maximum number of values of a column, beyond which they are joined
constexpr std::size_t max_values =
    256;  ///< maximum number of values of a knob in the decomposition, whose time grows with their square
constexpr double forest_work =
    0.6;  ///< share of the whole, for the progress; the rest is the decomposition of the variance

/** The rows of the training data, with their targets. */
struct Lesson {
  std::vector<std::int64_t> rows;
  std::vector<double> targets;
};

std::unexpected<Error> stopped() {
  return fail(ErrorCode::Refused, "importance: its computation was stopped", "start it again");
}

std::size_t knob_count(std::span<const KnobColumn> columns) {
  std::size_t count = 0;
  for (const KnobColumn& column : columns) count = std::max(count, column.knob + 1);
  return count;
}

Status check_columns(std::span<const KnobColumn> columns, std::span<const std::int64_t> rows) {
  if (columns.empty()) return fail(ErrorCode::Internal, "importance: there are no columns of knobs");
  for (const KnobColumn& column : columns) {
    for (const std::int64_t row : rows) {
      if (row < 0 || static_cast<std::size_t>(row) >= column.values.size() ||
          !std::isfinite(column.values[static_cast<std::size_t>(row)]))
        return fail(ErrorCode::Internal,
                    fmt::format("importance: a column of knob {} has no value in row {}", column.knob, row));
    }
  }
  return {};
}

/** Every row has the same chance (Knuth 3.4.2, algorithm S); the order is kept. */
Lesson sampled(const Lesson& lesson, std::size_t most, std::uint64_t seed) {
  const std::size_t count = lesson.rows.size();
  if (count <= most) return lesson;
  base::Random random = base::Random(seed).fork("importance sample");
  Lesson sample;
  for (std::size_t i = 0; i < count && sample.rows.size() < most; ++i) {
    if (random.below(count - i) >= most - sample.rows.size()) continue;
    sample.rows.push_back(lesson.rows[i]);
    sample.targets.push_back(lesson.targets[i]);
  }
  return sample;
}

void report(const VarianceShares& shares, std::size_t strongest, Importance& importance) {
  const std::size_t knobs = shares.factors.size();
  importance.knobs = shares.factors;
  for (std::size_t first = 0; first < knobs; ++first) {
    for (std::size_t second = first + 1; second < knobs; ++second) {
      importance.pairs.push_back({first, second, shares.pair(first, second)});
      importance.all_pairs += shares.pair(first, second);
    }
  }
  std::ranges::stable_sort(importance.pairs, std::greater{}, &PairImportance::share);
  importance.pairs.resize(std::min(importance.pairs.size(), strongest));
}

/** Returns the rows of a forest: the rank of each column's value. */
std::vector<float> ranked_features(std::span<const KnobColumn> columns, std::span<const std::int64_t> rows) {
  std::vector<float> features(rows.size() * columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const ValueBins bins = ValueBins::by_rank(columns[c].values, rows, max_ranges);
    for (std::size_t i = 0; i < rows.size(); ++i)
      features[i * columns.size() + c] =
          static_cast<float>(bins.find(columns[c].values[static_cast<std::size_t>(rows[i])]));
  }
  return features;
}

/**
 * Returns the knob's columns and the values that the rows have of them; a random choice if there are too
 * many.
 */
VarianceFactor observed_factor(std::span<const KnobColumn> columns, std::size_t knob,
                               std::span<const float> features, base::Random random) {
  VarianceFactor factor;
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].knob == knob) factor.columns.push_back(c);
  if (factor.columns.empty()) return factor;
  std::vector<float> value(factor.columns.size());
  std::set<std::vector<float>> seen;
  for (std::size_t first = 0; first < features.size(); first += columns.size()) {
    for (std::size_t i = 0; i < value.size(); ++i) value[i] = features[first + factor.columns[i]];
    seen.insert(value);
  }
  std::vector<std::vector<float>> values(seen.begin(), seen.end());
  if (values.size() > max_values) {
    random.shuffle(std::span(values));
    values.resize(max_values);
  }
  for (const std::vector<float>& chosen : values)
    factor.values.insert(factor.values.end(), chosen.begin(), chosen.end());
  return factor;
}

Result<Importance> by_forest(const Lesson& lesson, std::span<const KnobColumn> columns,
                             const ImportanceOptions& options, const surrogate::Proceed& proceed) {
  const Lesson sample = sampled(lesson, options.sample, options.seed);
  const std::vector<float> features = ranked_features(columns, sample.rows);
  const surrogate::ForestOptions forest_options{.trees = options.trees,
                                                .minimum_leaf = importance_minimum_leaf(sample.rows.size()),
                                                .features_per_split = options.features_per_split,
                                                .seed = options.seed,
                                                .threads = options.threads};
  const auto forest = TRY(
      surrogate::RandomForest::train({features, columns.size(), sample.targets}, forest_options,
                                     [&](double done) { return !proceed || proceed(forest_work * done); }));
  std::vector<VarianceFactor> factors;
  for (std::size_t knob = 0; knob < knob_count(columns); ++knob)
    factors.push_back(
        observed_factor(columns, knob, features, base::Random(options.seed).fork("importance values")));
  const auto shares = decompose_variance(forest, factors, options.threads, [&](double done) {
    return !proceed || proceed(forest_work + (1 - forest_work) * done);
  });
  if (!shares) return stopped();
  Importance importance;
  importance.sample = static_cast<std::int64_t>(sample.rows.size());
  importance.out_of_bag_r2 = forest.out_of_bag_r2();
  report(*shares, options.strongest_pairs, importance);
  return importance;
}

/** Numbers the tuples of a knob's columns in the order of occurrence. */
void add_groups(std::span<const KnobColumn> columns, std::size_t knob, std::span<const std::int64_t> rows,
                GroupedNumbers& data) {
  std::vector<std::uint32_t> groups(rows.size());
  std::size_t count = 1;
  for (const KnobColumn& column : columns) {
    if (column.knob != knob) continue;
    const ValueBins bins = ValueBins::by_rank(column.values, rows, rows.size());
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto bin = bins.find(column.values[static_cast<std::size_t>(rows[i])]);
      const std::uint64_t tuple = groups[i] * bins.count() + static_cast<std::uint64_t>(bin);
      groups[i] = numbers.try_emplace(tuple, static_cast<std::uint32_t>(numbers.size())).first->second;
    }
    count = numbers.size();
  }
  data.groups.push_back(std::move(groups));
  data.group_counts.push_back(count);
}

Result<Importance> by_groups(const Lesson& lesson, std::span<const KnobColumn> columns,
                             const ImportanceOptions& options, const surrogate::Proceed& proceed) {
  GroupedNumbers data{.numbers = lesson.targets, .groups = {}, .group_counts = {}};
  for (std::size_t knob = 0; knob < knob_count(columns); ++knob) {
    if (proceed && !proceed(0)) return stopped();
    add_groups(columns, knob, lesson.rows, data);
  }
  const auto shares = decompose_variance(data, options.threads, proceed);
  if (!shares) return stopped();
  Importance importance;
  importance.sample = static_cast<std::int64_t>(lesson.rows.size());
  importance.exact = true;
  double combinations = 1;
  for (const std::size_t count : data.group_counts) combinations *= static_cast<double>(count);
  importance.independent = combinations == static_cast<double>(lesson.rows.size());
  report(*shares, options.strongest_pairs, importance);
  return importance;
}

Result<Importance> importance_of(const Lesson& lesson, std::span<const KnobColumn> columns,
                                 const ImportanceOptions& options, const surrogate::Proceed& proceed) {
  TRY(check_columns(columns, lesson.rows));
  auto importance = options.complete ? by_groups(lesson, columns, options, proceed)
                                     : by_forest(lesson, columns, options, proceed);
  if (importance) importance->rows = static_cast<std::int64_t>(lesson.rows.size());
  return importance;
}

bool varies(std::span<const double> numbers) {
  const auto [least, greatest] = std::ranges::minmax(numbers);
  return least < greatest;
}

}  // namespace

std::size_t importance_minimum_leaf(std::size_t sample) {
  return std::clamp<std::size_t>(sample / 5000, 3, 20);
}

Result<Importance> performance_importance(std::span<const KnobColumn> columns,
                                          const PerformanceColumn& performance,
                                          std::span<const std::int64_t> rows,
                                          const ImportanceOptions& options,
                                          const surrogate::Proceed& proceed) {
  Lesson lesson;
  for (const std::int64_t row : rows) {
    if (!performance.valid(row)) continue;
    lesson.rows.push_back(row);
    lesson.targets.push_back(std::log2(performance.at(row)));
  }
  if (lesson.rows.size() < min_importance_rows)
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("importance of knobs for performance: {} of {} trials are valid, but {} are needed",
                    lesson.rows.size(), rows.size(), min_importance_rows),
        "measure more configurations, or remove filters");
  if (!varies(lesson.targets))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("importance of knobs for performance: all {} valid trials are equally fast",
                            lesson.rows.size()),
                "measure more configurations, or remove filters");
  return importance_of(lesson, columns, options, proceed);
}

Result<Importance> validity_importance(std::span<const KnobColumn> columns,
                                       const PerformanceColumn& performance,
                                       std::span<const std::int64_t> rows, const ImportanceOptions& options,
                                       const surrogate::Proceed& proceed) {
  Lesson lesson;
  for (const std::int64_t row : rows) {
    lesson.rows.push_back(row);
    lesson.targets.push_back(performance.valid(row) ? 1 : 0);
  }
  if (lesson.rows.size() < min_importance_rows)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("importance of knobs for validity: there are {} trials, but {} are needed",
                            rows.size(), min_importance_rows),
                "measure more configurations, or remove filters");
  if (!varies(lesson.targets))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("importance of knobs for validity: {} of {} trials is valid",
                            lesson.targets[0] > 0 ? "every one" : "none", rows.size()),
                lesson.targets[0] > 0 ? "there is nothing to explain" : "check the messages of the errors");
  return importance_of(lesson, columns, options, proceed);
}

}  // namespace kernelscape::analysis
