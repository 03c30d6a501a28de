#include "core/analysis/comparison/row_intervals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "core/analysis/comparison/run_draws.h"

namespace kernelscape::analysis {
namespace {

constexpr std::size_t goal_count = goal_shares.size();

/** Number of medians of each resample: of the final performance, then to each goal. */
constexpr std::size_t median_count = 1 + 2 * goal_count;
constexpr std::size_t seconds_at = 1;
constexpr std::size_t trials_at = 1 + goal_count;

/** The numbers whose means are computed for each resample. */
constexpr std::array resampled_means{&RunNumbers::final_performance, &RunNumbers::final_share,
                                     &RunNumbers::area_by_seconds, &RunNumbers::area_by_trials,
                                     &RunNumbers::score};
/// Positions in resampled_means.
enum MeanNumber : std::size_t {
  mean_performance,
  mean_share,
  mean_area_seconds,
  mean_area_trials,
  mean_score
};

using Values = std::vector<double>;  ///< one for each resample

/** The numbers of an arm on a task for each resample of its runs. */
struct CellResamples {
  std::size_t runs = 0;
  std::array<Values, resampled_means.size()> means;
  std::array<Values, median_count> medians;
  std::array<Values, median_count> numbers;  ///< of each run: inputs of the medians
  Values shares;                             ///< of each run
  std::optional<RunDraws> drawn;
};

CellResamples resampled_cell(const NumberedRuns& all, std::size_t arm, std::size_t task,
                             const BootstrapOptions& options) {
  const std::vector<RunNumbers>& runs = all.cell(arm, task).finished;
  CellResamples cell;
  cell.runs = runs.size();
  if (runs.empty()) return cell;
  for (const RunNumbers& run : runs) {
    cell.shares.push_back(run.final_share);
    cell.numbers[0].push_back(run.final_performance);
    for (std::size_t goal = 0; goal < goal_count; ++goal) {
      cell.numbers[seconds_at + goal].push_back(run.goal_seconds[goal]);
      cell.numbers[trials_at + goal].push_back(run.goal_trials[goal]);
    }
  }
  cell.drawn.emplace(draws_of_cell(all, arm, task, options));
  Values buffer;
  for (std::size_t resample = 0; resample < options.resamples; ++resample) {
    const std::span<const std::uint32_t> positions = cell.drawn->positions(resample);
    for (std::size_t i = 0; i < resampled_means.size(); ++i) {
      double sum = 0;
      for (const std::uint32_t position : positions) sum += runs[position].*resampled_means[i];
      cell.means[i].push_back(sum / static_cast<double>(positions.size()));
    }
    buffer.resize(positions.size());
    for (std::size_t i = 0; i < median_count; ++i) {
      for (std::size_t j = 0; j < positions.size(); ++j) buffer[j] = cell.numbers[i][positions[j]];
      cell.medians[i].push_back(median_with_infinities(buffer));
    }
  }
  return cell;
}

Values combined(const Values& own, const Values& other, const auto& combine) {
  Values values(own.size());
  std::ranges::transform(own, other, values.begin(), combine);
  return values;
}

/** Resamples of all runs and tasks, and the rows whose intervals they give. */
class IntervalFiller {
 public:
  IntervalFiller(const NumberedRuns& runs, std::size_t baseline, const BootstrapOptions& options)
      : runs_(runs), baseline_(baseline), options_(options) {
    for (std::size_t task = 0; task < runs.tasks.size(); ++task)
      for (std::size_t arm = 0; arm < runs.arms; ++arm)
        cells_.push_back(resampled_cell(runs, arm, task, options));
  }

  void fill_task_row(ComparisonRow& row) const {
    const CellResamples& own = cell(row.arm, *row.task);
    const auto of_mean = [&](MeanNumber number) { return percentile_interval(own.means[number], own.runs); };
    row.mean_final_interval = of_mean(mean_performance);
    row.share_interval = of_mean(mean_share);
    row.area_by_seconds_interval = of_mean(mean_area_seconds);
    row.area_by_trials_interval = of_mean(mean_area_trials);
    if (!std::isnan(row.score)) row.score_interval = of_mean(mean_score);
    row.median_final_interval = percentile_interval(own.medians[0], own.runs);
    for (std::size_t goal = 0; goal < goal_count; ++goal) {
      row.goals[goal].seconds_interval = percentile_interval(own.medians[seconds_at + goal], own.runs);
      row.goals[goal].trials_interval = percentile_interval(own.medians[trials_at + goal], own.runs);
    }
    const CellResamples& other = cell(baseline_, *row.task);
    if (row.arm == baseline_ || own.runs == 0 || other.runs == 0) return;
    const std::size_t least = std::min(own.runs, other.runs);
    const auto difference = [&](MeanNumber number) {
      return percentile_interval(combined(own.means[number], other.means[number], std::minus{}), least);
    };
    row.share_difference_interval = difference(mean_share);
    if (!std::isnan(row.score)) row.score_difference_interval = difference(mean_score);
    const auto ratio = [&](std::size_t median) {
      return percentile_interval(combined(own.medians[median], other.medians[median], std::divides{}), least);
    };
    for (std::size_t goal = 0; goal < goal_count; ++goal) {
      if (row.goals[goal].seconds_ratio) row.goals[goal].seconds_ratio->interval = ratio(seconds_at + goal);
      if (row.goals[goal].trials_ratio) row.goals[goal].trials_ratio->interval = ratio(trials_at + goal);
    }
  }

  void fill_row_over_tasks(ComparisonRow& row) const {
    const std::vector<std::size_t> all = tasks_of(row.arm, row.arm);
    const std::vector<std::size_t> scored = scored_tasks(all, row.arm, row.arm);
    const auto of_mean = [&](const std::vector<std::size_t>& tasks, MeanNumber number) {
      return over_tasks(tasks, row.arm, row.arm, [&](std::size_t task, std::size_t resample) {
        return cell(row.arm, task).means[number][resample];
      });
    };
    row.share_interval = row.mean_final_interval = of_mean(all, mean_share);
    row.area_by_seconds_interval = of_mean(all, mean_area_seconds);
    row.area_by_trials_interval = of_mean(all, mean_area_trials);
    row.score_interval = of_mean(scored, mean_score);
    row.median_final_interval =
        pooled_median(all, row.arm, [](const CellResamples& from) -> const Values& { return from.shares; });
    for (std::size_t goal = 0; goal < goal_count; ++goal) {
      const std::vector<std::size_t> offered = outside_noise(all, goal);
      const auto median = [&](std::size_t number) {
        return pooled_median(offered, row.arm, [number](const CellResamples& from) -> const Values& {
          return from.numbers[number];
        });
      };
      row.goals[goal].seconds_interval = median(seconds_at + goal);
      row.goals[goal].trials_interval = median(trials_at + goal);
    }
    if (row.arm != baseline_) fill_comparison_over_tasks(row);
  }

 private:
  const CellResamples& cell(std::size_t arm, std::size_t task) const {
    return cells_[task * runs_.arms + arm];
  }

  void fill_comparison_over_tasks(ComparisonRow& row) const {
    const std::vector<std::size_t> both = tasks_of(row.arm, baseline_);
    const auto difference = [&](const std::vector<std::size_t>& tasks, MeanNumber number) {
      return over_tasks(tasks, row.arm, baseline_, [&](std::size_t task, std::size_t resample) {
        return cell(row.arm, task).means[number][resample] - cell(baseline_, task).means[number][resample];
      });
    };
    row.share_difference_interval = difference(both, mean_share);
    row.score_difference_interval = difference(scored_tasks(both, row.arm, baseline_), mean_score);
    const auto ratio = [&](const std::vector<std::size_t>& tasks, std::size_t median) {
      auto interval = over_tasks(
          tasks, row.arm, baseline_,
          [&](std::size_t task, std::size_t resample) {
            return std::log(cell(row.arm, task).medians[median][resample] /
                            cell(baseline_, task).medians[median][resample]);
          },
          -std::numeric_limits<double>::infinity());
      if (interval) interval = ConfidenceInterval{std::exp(interval->low), std::exp(interval->high)};
      return interval;
    };
    for (std::size_t goal = 0; goal < goal_count; ++goal) {
      const std::vector<std::size_t> offered = outside_noise(both, goal);
      GoalReached& reached = row.goals[goal];
      if (reached.seconds_ratio) reached.seconds_ratio->interval = ratio(offered, seconds_at + goal);
      if (reached.trials_ratio) reached.trials_ratio->interval = ratio(offered, trials_at + goal);
    }
  }

  std::vector<std::size_t> tasks_of(std::size_t arm, std::size_t other) const {
    std::vector<std::size_t> tasks;
    for (std::size_t task = 0; task < runs_.tasks.size(); ++task)
      if (cell(arm, task).runs > 0 && cell(other, task).runs > 0) tasks.push_back(task);
    return tasks;
  }

  std::vector<std::size_t> scored_tasks(std::vector<std::size_t> tasks, std::size_t arm,
                                        std::size_t other) const {
    std::erase_if(tasks, [&](std::size_t task) {
      return std::isnan(runs_.cell(arm, task).finished.front().score) ||
             std::isnan(runs_.cell(other, task).finished.front().score);
    });
    return tasks;
  }

  std::vector<std::size_t> outside_noise(std::vector<std::size_t> tasks, std::size_t goal) const {
    std::erase_if(tasks, [&](std::size_t task) { return runs_.tasks[task].within_noise[goal]; });
    return tasks;
  }

  /**
   * Returns true if tasks are drawn, because there are several; lists of equal length draw the same
   * positions.
   */
  bool draws(const std::vector<std::size_t>& tasks) const { return options_.over_tasks && tasks.size() > 1; }

  /** Returns the n of the interval: the size of the level that is drawn first. */
  std::size_t samples_of(const std::vector<std::size_t>& tasks, std::size_t arm, std::size_t other) const {
    if (draws(tasks)) return tasks.size();
    std::size_t least = tasks.empty() ? 0 : cell(arm, tasks.front()).runs;
    for (const std::size_t task : tasks)
      least = std::min({least, cell(arm, task).runs, cell(other, task).runs});
    return least;
  }

  /**
   * Calls visit(task, resample of its runs) for the tasks of a resample; a task that is drawn twice has
   * different runs.
   */
  template <typename Visit>
  void for_each_drawn(const std::vector<std::size_t>& tasks, const Resamples& drawn, std::size_t resample,
                      const Visit& visit) const {
    constexpr std::size_t step = 37;  // prime, so that few draws of a resample coincide
    if (!draws(tasks)) {
      for (const std::size_t task : tasks) visit(task, resample);
      return;
    }
    std::size_t draw = 0;
    for (const std::uint32_t position : drawn.positions(resample))
      visit(tasks[position], (resample + step * draw++) % options_.resamples);
  }

  /** Computes the interval of the mean over tasks of number(task, resample). */
  template <typename Number>
  std::optional<ConfidenceInterval> over_tasks(const std::vector<std::size_t>& tasks, std::size_t arm,
                                               std::size_t other, const Number& number,
                                               double least = 0) const {
    if (tasks.empty()) return {};
    const Resamples drawn(options_, 0, tasks.size());
    Values values;
    for (std::size_t resample = 0; resample < options_.resamples; ++resample) {
      double sum = 0;
      for_each_drawn(tasks, drawn, resample,
                     [&](std::size_t task, std::size_t runs) { sum += number(task, runs); });
      values.push_back(sum / static_cast<double>(tasks.size()));
    }
    return percentile_interval(std::move(values), samples_of(tasks, arm, other), least);
  }

  /** Computes the interval of the median over the runs of all tasks. @param numbers of a cell's runs */
  template <typename Numbers>
  std::optional<ConfidenceInterval> pooled_median(const std::vector<std::size_t>& tasks, std::size_t arm,
                                                  const Numbers& numbers) const {
    if (tasks.empty()) return {};
    const Resamples drawn(options_, 0, tasks.size());
    Values values;
    Values pooled;
    for (std::size_t resample = 0; resample < options_.resamples; ++resample) {
      pooled.clear();
      for_each_drawn(tasks, drawn, resample, [&](std::size_t task, std::size_t runs) {
        const CellResamples& from = cell(arm, task);
        const Values& of_runs = numbers(from);
        for (const std::uint32_t position : from.drawn->positions(runs)) pooled.push_back(of_runs[position]);
      });
      values.push_back(median_with_infinities(pooled));
    }
    return percentile_interval(std::move(values), samples_of(tasks, arm, arm));
  }

  const NumberedRuns& runs_;
  std::size_t baseline_;
  BootstrapOptions options_;
  std::vector<CellResamples> cells_;
};

double ratio_of_medians(double own, double other) { return own / other; }

void fill_task_ratios(const NumberedRuns& runs, std::size_t baseline, std::span<ComparisonRow> by_task) {
  for (ComparisonRow& row : by_task) {
    const ComparisonRow& other = by_task[*row.task * runs.arms + baseline];
    if (row.arm == baseline || row.runs == 0 || other.runs == 0) continue;
    for (std::size_t goal = 0; goal < goal_count; ++goal) {
      GoalReached& own = row.goals[goal];
      own.seconds_ratio =
          RatioToBaseline{ratio_of_medians(own.median_seconds, other.goals[goal].median_seconds), {}};
      own.trials_ratio =
          RatioToBaseline{ratio_of_medians(own.median_trials, other.goals[goal].median_trials), {}};
    }
  }
}

/** Returns the geometric mean over the tasks whose goal is not within the noise. */
std::optional<RatioToBaseline> mean_ratio(std::span<const ComparisonRow> by_task, std::size_t arm,
                                          std::size_t goal,
                                          std::optional<RatioToBaseline> GoalReached::* place) {
  double logarithms = 0;
  double tasks = 0;
  for (const ComparisonRow& row : by_task) {
    if (row.arm != arm || row.goals[goal].within_noise || !(row.goals[goal].*place)) continue;
    logarithms += std::log((row.goals[goal].*place)->ratio);
    ++tasks;
  }
  if (tasks == 0) return {};
  return RatioToBaseline{std::exp(logarithms / tasks), {}};
}

}  // namespace

void fill_intervals(const NumberedRuns& runs, std::size_t baseline, const BootstrapOptions& options,
                    std::span<ComparisonRow> by_task, std::span<ComparisonRow> over_tasks) {
  fill_task_ratios(runs, baseline, by_task);
  for (ComparisonRow& row : over_tasks) {
    for (std::size_t goal = 0; goal < goal_count; ++goal) {
      row.goals[goal].seconds_ratio = mean_ratio(by_task, row.arm, goal, &GoalReached::seconds_ratio);
      row.goals[goal].trials_ratio = mean_ratio(by_task, row.arm, goal, &GoalReached::trials_ratio);
    }
  }
  if (options.resamples == 0) return;
  const IntervalFiller filler(runs, baseline, options);
  for (ComparisonRow& row : by_task) filler.fill_task_row(row);
  for (ComparisonRow& row : over_tasks) filler.fill_row_over_tasks(row);
}

}  // namespace kernelscape::analysis
