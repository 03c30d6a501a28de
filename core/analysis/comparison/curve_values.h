#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/analysis/comparison/compared_curves.h"

namespace kernelscape::analysis {

using CurveValues = std::vector<double>;  ///< at each x of a grid

/** An arm's runs on one task. */
struct TaskCurves {
  std::size_t task = 0;
  std::vector<const ComparedRun*> runs;
  std::vector<CurveValues> values;  ///< one for each run
};

/** Returns the positions of the improvements along an axis. */
const std::vector<double>& curve_steps(const BestCurve& curve, CompareAxis axis);

/** Returns the mean at each x. @param many not empty */
CurveValues mean_of_curves(std::span<const CurveValues> many);

/**
 * Returns an arm's runs on a task that have not failed, with their best performance so far, or with the share
 * of valid offspring that they reported.
 */
TaskCurves curves_on_task(const ComparedRuns& runs, std::size_t arm, std::size_t task, CompareAxis axis,
                          const std::vector<double>& grid, bool member_share = false);

/**
 * Returns an arm's runs on each task in the units of the chart; only tasks with runs. The arguments are those
 * of aggregate_curve().
 */
std::vector<TaskCurves> selected_curves(const ComparedRuns& runs, const CurveSelection& selection,
                                        CompareAxis axis, CompareY y, const std::vector<double>& grid,
                                        std::size_t baseline);

/**
 * Returns the runs of one task; for several tasks, the mean over them of each repeat that has them all.
 * @param tasks not empty
 */
std::vector<CurveValues> curve_samples(const std::vector<TaskCurves>& tasks);

}  // namespace kernelscape::analysis
