#pragma once

#include <array>

#include "core/analysis/comparison/compared_runs.h"

namespace kernelscape::analysis {

/**
 * Phase times of an arm as means per run (NoSE, Figure 6), with equal weight for each task: a time breakdown.
 * Over finished runs; on a task where the arm has none, over its running runs. All zero without runs.
 */
struct PhaseTimes {
  double search_seconds = 0;
  double build_seconds = 0;
  double run_seconds = 0;
  double idle_seconds = 0;
};
/** Returns the phase times of an arm. @param arm position in runs.arms */
PhaseTimes phase_times(const ComparedRuns& runs, std::size_t arm);

/**
 * Error categories of an arm as means per run (NoSE, Figures 7A and 7B), over the same runs as PhaseTimes,
 * with equal weight for each task. Runs without trials (without build and run time) have no shares.
 */
struct CategoryShares {
  std::array<double, trial::error_category_count> trials{};  ///< share of trials, sums to 1 (0 without any)
  std::array<double, trial::error_category_count> work_seconds{};  ///< share of build and run time
  double trials_per_run = 0;
  double work_seconds_per_run = 0;
};
/** Returns the category shares of an arm. @param arm position in runs.arms */
CategoryShares category_shares(const ComparedRuns& runs, std::size_t arm);

}  // namespace kernelscape::analysis
