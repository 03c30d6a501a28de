#pragma once

#include <vector>

#include "core/analysis/comparison/compared_runs.h"

namespace kernelscape {

/** Whose runs a curve stands for. */
struct CurveSelection {
  std::size_t arm = 0;
  std::optional<std::size_t> task;  ///< none: all tasks
};

/** How performance is put on one axis. */
enum class CompareY : std::uint8_t {
  Performance,     ///< GFLOP/s as measured: of one task only
  ShareOfOptimum,  ///< of the task's optimum, or of the best found by any run where it is not known
  SpeedUp,         ///< over the baseline arm's mean of the same task at the same x
  MemberShare      ///< of the children that tuners drew, by ComparedRun::member_share: no performance
};

/** An aggregated curve: all vectors are as long as `x`, and empty where there is no run. */
struct AggregatedCurve {
  std::vector<double> x;  ///< the grid it was asked at, the same for all arms of a chart
  std::vector<double> mean;
  std::vector<double> standard_error;  ///< of the mean, over `samples`; 0 where there are fewer than 2
  std::vector<double> median;
  std::vector<double> first_quartile;
  std::vector<double> third_quartile;
  std::vector<double> active;          ///< runs that had not ended before this x
  std::size_t n = 0;                   ///< runs
  std::vector<std::size_t> task_runs;  ///< of these, of each task that has any
  /** What error, median and quartiles are over: the runs of one task; of several tasks the repeats that have
   * a run on each of them. Where no repeat has, median and quartiles are the mean. */
  std::size_t samples = 0;
};

/**
 * Where curves of `runs` are evaluated: at most `count` points, ascending, to the longest run's end; trials
 * are whole. Equally far apart from 0, or by equal ratios from the first improvement of any run (the first
 * trial). {0} where no run has begun.
 * @param task none: all tasks
 * @param count at least 2
 */
std::vector<double> curve_grid(const ComparedRuns& runs, std::optional<std::size_t> task, CompareAxis axis,
                               std::size_t count = 256, bool logarithmic = false);

/**
 * Best so far over the runs of an arm, at each x (NoSE, Figures 5A, 5B and 8). A run counts 0 before its
 * first valid trial and its last value after its end; one that goes on counts too, one that failed does not.
 * With several tasks each task on which the arm has a run weighs the same: the mean is that of the tasks'
 * means, and the standard error is that of the repeats' means over tasks.
 *
 * A speed-up is not a number where the baseline has found nothing yet on one of the tasks; tasks on which it
 * has no run are left out.
 *
 * Of the share of members, each run counts the latest that was reported; runs without any are left out, and
 * before all others have reported one it is not a number: else other runs would count at each x.
 * @param grid ascending
 * @param baseline arm of SpeedUp
 */
AggregatedCurve aggregate_curve(const ComparedRuns& runs, const CurveSelection& selection, CompareAxis axis,
                                CompareY y, const std::vector<double>& grid, std::size_t baseline = 0);

/** Nine of ten finished runs come within 5 % of what they end with in the first fifth of the axis, which ends
 * with the longest of them: equal distances would show the rest. False where none has finished. */
bool improves_early(const ComparedRuns& runs, CompareAxis axis);

}  // namespace kernelscape
