#include "core/analysis/comparison/compared_curves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <span>

#include "core/analysis/comparison/curve_values.h"
#include "core/base/quantile.h"

namespace kernelscape::analysis {
namespace {

double end_of(const BestCurve& curve, CompareAxis axis) {
  return axis == CompareAxis::Seconds ? curve.end_seconds : curve.end_trials;
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

/** Computes error, median and quartiles at each x; curve.mean must be set. */
void spread(const std::vector<CurveValues>& samples, AggregatedCurve& curve) {
  CurveValues column(samples.size());
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (samples.empty() || std::isnan(curve.mean[i])) {
      curve.standard_error.push_back(std::isnan(curve.mean[i]) ? curve.mean[i] : 0);
      for (CurveValues* quartile : {&curve.first_quartile, &curve.median, &curve.third_quartile})
        quartile->push_back(curve.mean[i]);
      continue;
    }
    for (std::size_t sample = 0; sample < samples.size(); ++sample) column[sample] = samples[sample][i];
    std::ranges::sort(column);
    curve.standard_error.push_back(standard_error(column));
    curve.first_quartile.push_back(base::sorted_quantile(column, 0.25));
    curve.median.push_back(base::sorted_quantile(column, 0.5));
    curve.third_quartile.push_back(base::sorted_quantile(column, 0.75));
  }
}

/** Adds 1 at each x before the end of the run. */
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
    for (const double step : curve_steps(run.curve, axis) | std::views::take(1))
      first = std::min(first, step);
  }
  if (!(end > 0)) return {0};
  if (axis == CompareAxis::Trials) first = 1;
  const bool by_ratio = logarithmic && first > 0 && first < end;
  std::vector<double> grid;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    double x = i + 1 == count ? end : by_ratio ? first * std::pow(end / first, share) : end * share;
    if (axis == CompareAxis::Trials) x = std::round(x);
    if (grid.empty() || x > grid.back()) grid.push_back(x);
  }
  return grid;
}

AggregatedCurve aggregate_curve(const ComparedRuns& runs, const CurveSelection& selection, CompareAxis axis,
                                CompareY y, const std::vector<double>& grid, std::size_t baseline) {
  const std::vector<TaskCurves> tasks = selected_curves(runs, selection, axis, y, grid, baseline);
  AggregatedCurve curve;
  if (tasks.empty()) return curve;
  curve.x = grid;
  curve.active.resize(grid.size());
  std::vector<CurveValues> task_means;
  for (const TaskCurves& task : tasks) {
    task_means.push_back(mean_of_curves(task.values));
    curve.n += task.runs.size();
    curve.task_runs.push_back(task.runs.size());
    for (const ComparedRun* run : task.runs) count_active(run->curve, axis, curve);
  }
  curve.mean = mean_of_curves(task_means);
  const std::vector<CurveValues> samples = curve_samples(tasks);
  curve.samples = samples.size();
  spread(samples, curve);
  return curve;
}

bool improves_early(const ComparedRuns& runs, CompareAxis axis) {
  constexpr double first_part = 0.2;
  constexpr double max_runs = 0.9;
  constexpr double near_the_end = 0.95;
  std::vector<double> reached;
  double end = 0;
  for (const ComparedRun& run : runs.runs) {
    if (!run.finished || !run.error.empty()) continue;
    end = std::max(end, axis == CompareAxis::Seconds ? run.curve.end_seconds : run.curve.end_trials);
    const auto good = std::ranges::find_if(run.curve.performance, [&](double performance) {
      return performance >= near_the_end * run.curve.best();
    });
    if (good != run.curve.performance.end())
      reached.push_back(
          curve_steps(run.curve, axis)[static_cast<std::size_t>(good - run.curve.performance.begin())]);
  }
  const auto early = std::ranges::count_if(reached, [&](double at) { return at <= first_part * end; });
  return !reached.empty() && static_cast<double>(early) >= max_runs * static_cast<double>(reached.size());
}

}  // namespace kernelscape::analysis
