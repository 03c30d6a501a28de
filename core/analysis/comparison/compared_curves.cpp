#include "core/analysis/comparison/compared_curves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ranges>
#include <span>

#include "core/base/quantile.h"
#include "core/trial/measurement.h"

namespace kernelscape {
namespace {

using Values = std::vector<double>;  ///< at each x of a grid

bool seconds_of(CompareAxis axis) { return axis == CompareAxis::Seconds; }

const Values& steps_of(const BestCurve& curve, CompareAxis axis) {
  return seconds_of(axis) ? curve.seconds : curve.trials;
}

double end_of(const BestCurve& curve, CompareAxis axis) {
  return seconds_of(axis) ? curve.end_seconds : curve.end_trials;
}

/** A step function at each x, in one pass over both. @param before its first step */
Values evaluated(const Values& steps, const Values& heights, double before, const Values& grid) {
  Values values(grid.size(), before);
  std::size_t passed = 0;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    while (passed < steps.size() && steps[passed] <= grid[i]) ++passed;
    if (passed > 0) values[i] = heights[passed - 1];
  }
  return values;
}

Values best_at(const BestCurve& curve, CompareAxis axis, const Values& grid) {
  return evaluated(steps_of(curve, axis), curve.performance, 0, grid);
}

Values reported_at(const ReportedCurve& curve, CompareAxis axis, const Values& grid) {
  return evaluated(seconds_of(axis) ? curve.seconds : curve.trials, curve.values,
                   std::numeric_limits<double>::quiet_NaN(), grid);
}

Values mean_of(std::span<const Values* const> many) {
  Values mean(many.front()->size());
  for (const Values* values : many)
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += (*values)[i];
  for (double& value : mean) value /= static_cast<double>(many.size());
  return mean;
}

Values mean_of(const std::vector<Values>& many) {
  std::vector<const Values*> each;
  for (const Values& values : many) each.push_back(&values);
  return mean_of(each);
}

/** An arm's runs on one task. */
struct TaskRuns {
  std::vector<const ComparedRun*> runs;
  std::vector<Values> values;  ///< of each run
};

TaskRuns runs_on(const ComparedRuns& runs, std::size_t arm, std::size_t task, CompareAxis axis,
                 const Values& grid, bool member_share = false) {
  TaskRuns found;
  for (const ComparedRun& run : runs.runs) {
    if (run.arm != arm || run.task != task || !run.error.empty()) continue;
    if (member_share && run.member_share.empty()) continue;
    found.runs.push_back(&run);
    found.values.push_back(member_share ? reported_at(run.member_share, axis, grid)
                                        : best_at(run.curve, axis, grid));
  }
  return found;
}

void divide(std::vector<Values>& many, const Values& divisors) {
  for (Values& values : many)
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = divisors[i] > 0 ? values[i] / divisors[i] : std::numeric_limits<double>::quiet_NaN();
}

/** Of a task on which nothing valid is known all shares are 0. */
double share_divisor(const ComparedRuns& runs, std::size_t task) {
  const double optimum = runs.tasks[task].optimum;
  return optimum > 0 ? optimum : std::numeric_limits<double>::infinity();
}

/** What an arm's runs on each task are in the chart; only tasks with runs. */
std::vector<TaskRuns> selected_runs(const ComparedRuns& runs, const CurveSelection& selection,
                                    CompareAxis axis, CompareY y, const Values& grid, std::size_t baseline) {
  std::vector<TaskRuns> selected;
  for (std::size_t task = 0; task < runs.tasks.size(); ++task) {
    if (selection.task && task != *selection.task) continue;
    TaskRuns found = runs_on(runs, selection.arm, task, axis, grid, y == CompareY::MemberShare);
    if (found.runs.empty()) continue;
    if (y == CompareY::ShareOfOptimum) divide(found.values, Values(grid.size(), share_divisor(runs, task)));
    if (y == CompareY::SpeedUp) {
      const TaskRuns compared = runs_on(runs, baseline, task, axis, grid);
      if (compared.runs.empty()) continue;
      divide(found.values, mean_of(compared.values));
    }
    selected.push_back(std::move(found));
  }
  return selected;
}

/** The runs of one task; of several the mean over them of each repeat that has them all. */
std::vector<Values> samples_of(const std::vector<TaskRuns>& tasks) {
  if (tasks.size() == 1) return tasks.front().values;
  std::map<int, std::vector<std::vector<const Values*>>> repeats;  // by task
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    for (std::size_t run = 0; run < tasks[task].runs.size(); ++run) {
      auto& of_repeat = repeats[tasks[task].runs[run]->repeat];
      of_repeat.resize(tasks.size());
      of_repeat[task].push_back(&tasks[task].values[run]);
    }
  }
  std::vector<Values> samples;
  for (const auto& [repeat, by_task] : repeats) {
    if (std::ranges::any_of(by_task, &std::vector<const Values*>::empty)) continue;
    std::vector<Values> means;
    for (const std::vector<const Values*>& values : by_task) means.push_back(mean_of(values));
    samples.push_back(mean_of(means));
  }
  return samples;
}

double standard_error(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const auto n = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (n - 1) / n);
}

/** Error, median and quartiles at each x; curve.mean is there. */
void spread(const std::vector<Values>& samples, AggregatedCurve& curve) {
  Values column(samples.size());
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (samples.empty() || std::isnan(curve.mean[i])) {
      curve.standard_error.push_back(std::isnan(curve.mean[i]) ? curve.mean[i] : 0);
      for (Values* quartile : {&curve.first_quartile, &curve.median, &curve.third_quartile})
        quartile->push_back(curve.mean[i]);
      continue;
    }
    for (std::size_t sample = 0; sample < samples.size(); ++sample) column[sample] = samples[sample][i];
    std::ranges::sort(column);
    curve.standard_error.push_back(standard_error(column));
    curve.first_quartile.push_back(sorted_quantile(column, 0.25));
    curve.median.push_back(sorted_quantile(column, 0.5));
    curve.third_quartile.push_back(sorted_quantile(column, 0.75));
  }
}

/** Adds 1 at each x that the run had not ended before. */
void count_active(const BestCurve& run, CompareAxis axis, AggregatedCurve& curve) {
  const auto end = std::ranges::upper_bound(curve.x, end_of(run, axis)) - curve.x.begin();
  for (std::size_t i = 0; i < static_cast<std::size_t>(end); ++i) ++curve.active[i];
}

}  // namespace

std::vector<double> curve_grid(const ComparedRuns& runs, std::optional<std::size_t> task, CompareAxis axis,
                               std::size_t count, bool logarithmic) {
  double end = 0;
  double first = std::numeric_limits<double>::infinity();
  for (const ComparedRun& run : runs.runs) {
    if (!run.error.empty() || (task && run.task != *task)) continue;
    end = std::max(end, end_of(run.curve, axis));
    for (const double step : steps_of(run.curve, axis) | std::views::take(1)) first = std::min(first, step);
  }
  if (!(end > 0)) return {0};
  if (!seconds_of(axis)) first = 1;
  const bool by_ratio = logarithmic && first > 0 && first < end;
  std::vector<double> grid;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    double x = i + 1 == count ? end : by_ratio ? first * std::pow(end / first, share) : end * share;
    if (!seconds_of(axis)) x = std::round(x);
    if (grid.empty() || x > grid.back()) grid.push_back(x);
  }
  return grid;
}

AggregatedCurve aggregate_curve(const ComparedRuns& runs, const CurveSelection& selection, CompareAxis axis,
                                CompareY y, const std::vector<double>& grid, std::size_t baseline) {
  const std::vector<TaskRuns> tasks = selected_runs(runs, selection, axis, y, grid, baseline);
  AggregatedCurve curve;
  if (tasks.empty()) return curve;
  curve.x = grid;
  curve.active.resize(grid.size());
  std::vector<Values> task_means;
  for (const TaskRuns& task : tasks) {
    task_means.push_back(mean_of(task.values));
    curve.n += task.runs.size();
    for (const ComparedRun* run : task.runs) count_active(run->curve, axis, curve);
  }
  curve.mean = mean_of(task_means);
  const std::vector<Values> samples = samples_of(tasks);
  curve.samples = samples.size();
  spread(samples, curve);
  return curve;
}

}  // namespace kernelscape
