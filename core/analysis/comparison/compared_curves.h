#pragma once

#include <vector>

#include "core/analysis/comparison/compared_runs.h"

namespace kernelscape::analysis {

/** The runs that a curve represents. */
struct CurveSelection {
  std::size_t arm = 0;
  std::optional<std::size_t> task;  ///< nullopt: all tasks
};

/** The y axis of performance curves. */
enum class CompareY : std::uint8_t {
  Performance,     ///< GFLOP/s as measured, for a single task only
  ShareOfOptimum,  ///< of the task's optimum, or of the best found by any run if the optimum is not known
  SpeedUp,         ///< over the baseline arm's mean of the same task at the same x
  MemberShare  ///< share of valid offspring among those that tuners drew, by ComparedRun::member_share; not a
               ///< performance
};

/** An aggregated curve: all vectors are as long as `x`, and empty if there is no run. */
struct AggregatedCurve {
  std::vector<double> x;  ///< the requested grid, the same for all arms of a chart
  std::vector<double> mean;
  std::vector<double> standard_error;  ///< of the mean, over `samples`; 0 if there are fewer than 2
  std::vector<double> median;
  std::vector<double> first_quartile;
  std::vector<double> third_quartile;
  std::vector<double> active;          ///< runs that had not ended before this x
  std::size_t n = 0;                   ///< number of runs
  std::vector<std::size_t> task_runs;  ///< number of runs on each task that has any
  /**
   * Number of samples of error, median and quartiles: the runs of one task; for several tasks the repeats
   * that have a run on each of them. If no repeat has, median and quartiles are the mean.
   */
  std::size_t samples = 0;
};

/**
 * Returns the grid on which the curves of `runs` are evaluated: at most `count` points, ascending, to the
 * longest run's end; trials are whole numbers. The points are equidistant from 0, or with equal ratios from
 * the first improvement of any run (the first trial). Returns {0} if no run has started.
 * @param task nullopt: all tasks
 * @param count at least 2
 */
std::vector<double> curve_grid(const ComparedRuns& runs, std::optional<std::size_t> task, CompareAxis axis,
                               std::size_t count = 256, bool logarithmic = false);

/**
 * Returns the best performance so far over the runs of an arm, at each x (NoSE, Figures 5A, 5B and 8). A run
 * counts 0 before its first valid trial and its last value after its end. Running runs are included, failed
 * runs are not. With several tasks, each task on which the arm has a run has equal weight: the mean is that
 * of the tasks' means, and the standard error is that of the repeats' means over tasks.
 *
 * A speed-up is NaN if the baseline has found nothing yet on one of the tasks; tasks on which it has no run
 * are left out.
 *
 * For the share of valid offspring, each run counts its latest reported value. Runs without any are left out,
 * and the share is NaN until all other runs have reported a value, since otherwise different runs would count
 * at each x.
 * @param grid ascending
 * @param baseline arm of SpeedUp
 */
AggregatedCurve aggregate_curve(const ComparedRuns& runs, const CurveSelection& selection, CompareAxis axis,
                                CompareY y, const std::vector<double>& grid, std::size_t baseline = 0);

/**
 * Returns true if nine of ten finished runs reach 5 % of their final value in the first fifth of the axis,
 * which ends with the longest of them: a linear axis would mostly show the rest. Returns false if none has
 * finished.
 */
bool improves_early(const ComparedRuns& runs, CompareAxis axis);

}  // namespace kernelscape::analysis
