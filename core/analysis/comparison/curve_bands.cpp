#include "core/analysis/comparison/curve_bands.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <span>

#include "core/analysis/comparison/curve_values.h"
#include "core/analysis/comparison/run_draws.h"

namespace kernelscape::analysis {
namespace {

/** Values at each x of all resamples. */
using ResampledColumns = std::vector<std::vector<double>>;

/** A task's runs, with the draws of its resamples. */
struct DrawnTask {
  std::vector<CurveValues> own;
  std::vector<CurveValues> baseline;  ///< for a speed-up; else empty
  RunDraws own_positions;
  std::optional<RunDraws> baseline_positions;
};

void mean_of_drawn(const std::vector<CurveValues>& curves, std::span<const std::uint32_t> positions,
                   CurveValues& mean) {
  std::ranges::fill(mean, 0);
  for (const std::uint32_t position : positions) {
    const CurveValues& curve = curves[position];
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += curve[i];
  }
  for (double& value : mean) value /= static_cast<double>(positions.size());
}

/** Computes the low and high end at each x; NaN where `shown` is NaN. */
void fill_band(ResampledColumns columns, std::size_t samples, const CurveValues& shown,
               std::vector<double>& low, std::vector<double>& high) {
  constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
  if (samples < 2) return;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto interval =
        std::isnan(shown[i]) ? std::nullopt : percentile_interval(std::move(columns[i]), samples);
    low.push_back(interval ? interval->low : not_known);
    high.push_back(interval ? interval->high : not_known);
  }
}

/** Resamples the runs of each task; returns the mean over tasks of their means. */
ResampledColumns resampled_means_of(const std::vector<DrawnTask>& tasks, std::size_t points,
                                    std::size_t resamples) {
  ResampledColumns columns(points, std::vector<double>(resamples));
  CurveValues own(points);
  CurveValues baseline(points);
  for (std::size_t resample = 0; resample < resamples; ++resample) {
    for (const DrawnTask& task : tasks) {
      mean_of_drawn(task.own, task.own_positions.positions(resample), own);
      if (task.baseline_positions)
        mean_of_drawn(task.baseline, task.baseline_positions->positions(resample), baseline);
      for (std::size_t i = 0; i < points; ++i)
        columns[i][resample] +=
            (task.baseline_positions ? own[i] / baseline[i] : own[i]) / static_cast<double>(tasks.size());
    }
  }
  return columns;
}

ResampledColumns resampled_medians_of(const std::vector<CurveValues>& samples, std::size_t points,
                                      const BootstrapOptions& options) {
  const Resamples drawn(options, 0, samples.size());
  ResampledColumns columns(points, std::vector<double>(options.resamples));
  std::vector<double> column(samples.size());
  for (std::size_t resample = 0; resample < options.resamples; ++resample) {
    const std::span<const std::uint32_t> positions = drawn.positions(resample);
    for (std::size_t i = 0; i < points; ++i) {
      for (std::size_t j = 0; j < positions.size(); ++j) column[j] = samples[positions[j]][i];
      columns[i][resample] = median_with_infinities(column);
    }
  }
  return columns;
}

std::vector<int> repeats_drawn(const std::vector<const ComparedRun*>& runs) {
  std::vector<int> repeats;
  for (const ComparedRun* run : runs) repeats.push_back(run->repeat);
  return repeats;
}

/** Returns all repeats of a task if starts are paired; else none. */
std::vector<int> repeats_together(const ComparedRuns& runs, std::size_t task) {
  if (!runs.paired_starts) return {};
  std::set<int> repeats;
  for (const ComparedRun& run : runs.runs)
    if (run.task == task && run.error.empty()) repeats.insert(run.repeat);
  return {repeats.begin(), repeats.end()};
}

/**
 * The random streams depend on arm and task, so that bands of several arms are drawn independently. For
 * paired starts, the same repeats are drawn for both arms of a speed-up.
 */
std::vector<DrawnTask> drawn_tasks(const ComparedRuns& runs, const std::vector<TaskCurves>& selected,
                                   std::size_t arm, std::size_t baseline, bool speed_up, CompareAxis axis,
                                   const std::vector<double>& grid, const BootstrapOptions& options) {
  std::vector<DrawnTask> tasks;
  for (const TaskCurves& task : selected) {
    const DrawnCell own{.arm = arm, .task = task.task, .arms = runs.arms.size(), .tasks = runs.tasks.size()};
    const std::vector<int> together = repeats_together(runs, task.task);
    DrawnTask drawn{task.values, {}, RunDraws(options, own, repeats_drawn(task.runs), together), {}};
    if (speed_up) {
      DrawnCell other = own;
      other.arm = baseline;
      const TaskCurves compared = curves_on_task(runs, baseline, task.task, axis, grid);
      drawn.own = curves_on_task(runs, arm, task.task, axis, grid).values;
      drawn.baseline = compared.values;
      drawn.baseline_positions.emplace(options, other, repeats_drawn(compared.runs), together);
    }
    tasks.push_back(std::move(drawn));
  }
  return tasks;
}

/** Returns the size of the smallest sample that is drawn from. */
std::size_t fewest_runs(const std::vector<DrawnTask>& tasks) {
  std::size_t fewest = tasks.front().own.size();
  for (const DrawnTask& task : tasks) {
    fewest = std::min(fewest, task.own.size());
    if (task.baseline_positions) fewest = std::min(fewest, task.baseline.size());
  }
  return fewest;
}

}  // namespace

CurveBands curve_bands(const ComparedRuns& runs, const CurveSelection& selection, CompareAxis axis,
                       CompareY y, const std::vector<double>& grid, std::size_t baseline,
                       const BootstrapOptions& options) {
  CurveBands bands;
  const std::vector<TaskCurves> selected = selected_curves(runs, selection, axis, y, grid, baseline);
  if (selected.empty() || options.resamples == 0) return bands;
  std::vector<CurveValues> task_means;
  for (const TaskCurves& task : selected) task_means.push_back(mean_of_curves(task.values));
  const CurveValues shown = mean_of_curves(task_means);
  const std::vector<DrawnTask> tasks =
      drawn_tasks(runs, selected, selection.arm, baseline, y == CompareY::SpeedUp, axis, grid, options);
  const std::size_t fewest = fewest_runs(tasks);
  if (fewest >= 2)
    fill_band(resampled_means_of(tasks, grid.size(), options.resamples), fewest, shown, bands.mean_low,
              bands.mean_high);
  const std::vector<CurveValues> samples = curve_samples(selected);
  if (samples.size() >= 2)
    fill_band(resampled_medians_of(samples, grid.size(), options), samples.size(), shown, bands.median_low,
              bands.median_high);
  return bands;
}

}  // namespace kernelscape::analysis
