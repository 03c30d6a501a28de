#include "core/analysis/comparison/curve_values.h"

#include <algorithm>
#include <limits>
#include <map>

namespace kernelscape::analysis {
namespace {

bool seconds_of(CompareAxis axis) { return axis == CompareAxis::Seconds; }

/**
 * Evaluates a step function at each x, in one pass over both. @param before the value before its first step
 */
CurveValues evaluated(const CurveValues& steps, const CurveValues& heights, double before,
                      const CurveValues& grid) {
  CurveValues values(grid.size(), before);
  std::size_t passed = 0;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    while (passed < steps.size() && steps[passed] <= grid[i]) ++passed;
    if (passed > 0) values[i] = heights[passed - 1];
  }
  return values;
}

CurveValues best_at(const BestCurve& curve, CompareAxis axis, const CurveValues& grid) {
  return evaluated(curve_steps(curve, axis), curve.performance, 0, grid);
}

CurveValues reported_at(const ReportedCurve& curve, CompareAxis axis, const CurveValues& grid) {
  return evaluated(seconds_of(axis) ? curve.seconds : curve.trials, curve.values,
                   std::numeric_limits<double>::quiet_NaN(), grid);
}

CurveValues mean_of(std::span<const CurveValues* const> many) {
  CurveValues mean(many.front()->size());
  for (const CurveValues* values : many)
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += (*values)[i];
  for (double& value : mean) value /= static_cast<double>(many.size());
  return mean;
}

void divide(std::vector<CurveValues>& many, const CurveValues& divisors) {
  for (CurveValues& values : many)
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = divisors[i] > 0 ? values[i] / divisors[i] : std::numeric_limits<double>::quiet_NaN();
}

/** If no valid result is known for a task, all shares are 0. */
double share_divisor(const ComparedRuns& runs, std::size_t task) {
  const double optimum = runs.tasks[task].optimum;
  return optimum > 0 ? optimum : std::numeric_limits<double>::infinity();
}

}  // namespace

const CurveValues& curve_steps(const BestCurve& curve, CompareAxis axis) {
  return seconds_of(axis) ? curve.seconds : curve.trials;
}

CurveValues mean_of_curves(std::span<const CurveValues> many) {
  std::vector<const CurveValues*> each;
  for (const CurveValues& values : many) each.push_back(&values);
  return mean_of(each);
}

TaskCurves curves_on_task(const ComparedRuns& runs, std::size_t arm, std::size_t task, CompareAxis axis,
                          const CurveValues& grid, bool member_share) {
  TaskCurves found;
  found.task = task;
  for (const ComparedRun& run : runs.runs) {
    if (run.arm != arm || run.task != task || !run.error.empty()) continue;
    if (member_share && run.member_share.empty()) continue;
    found.runs.push_back(&run);
    found.values.push_back(member_share ? reported_at(run.member_share, axis, grid)
                                        : best_at(run.curve, axis, grid));
  }
  return found;
}

std::vector<TaskCurves> selected_curves(const ComparedRuns& runs, const CurveSelection& selection,
                                        CompareAxis axis, CompareY y, const CurveValues& grid,
                                        std::size_t baseline) {
  std::vector<TaskCurves> selected;
  for (std::size_t task = 0; task < runs.tasks.size(); ++task) {
    if (selection.task && task != *selection.task) continue;
    TaskCurves found = curves_on_task(runs, selection.arm, task, axis, grid, y == CompareY::MemberShare);
    if (found.runs.empty()) continue;
    if (y == CompareY::ShareOfOptimum)
      divide(found.values, CurveValues(grid.size(), share_divisor(runs, task)));
    if (y == CompareY::SpeedUp) {
      const TaskCurves compared = curves_on_task(runs, baseline, task, axis, grid);
      if (compared.runs.empty()) continue;
      divide(found.values, mean_of_curves(compared.values));
    }
    selected.push_back(std::move(found));
  }
  return selected;
}

std::vector<CurveValues> curve_samples(const std::vector<TaskCurves>& tasks) {
  if (tasks.size() == 1) return tasks.front().values;
  std::map<int, std::vector<std::vector<const CurveValues*>>> repeats;  // by task
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    for (std::size_t run = 0; run < tasks[task].runs.size(); ++run) {
      auto& of_repeat = repeats[tasks[task].runs[run]->repeat];
      of_repeat.resize(tasks.size());
      of_repeat[task].push_back(&tasks[task].values[run]);
    }
  }
  std::vector<CurveValues> samples;
  for (const auto& [repeat, by_task] : repeats) {
    if (std::ranges::any_of(by_task, &std::vector<const CurveValues*>::empty)) continue;
    std::vector<CurveValues> means;
    for (const std::vector<const CurveValues*>& values : by_task) means.push_back(mean_of(values));
    samples.push_back(mean_of_curves(means));
  }
  return samples;
}

}  // namespace kernelscape::analysis
