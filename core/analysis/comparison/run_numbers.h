#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/analysis/comparison/compared_measure.h"
#include "core/analysis/comparison/compared_runs.h"

namespace kernelscape::analysis {

/** The numbers of a finished run, computed once, so that tests and resamples need no curves. */
struct RunNumbers {
  int repeat = 0;                ///< pairs the runs of paired starts
  double final_performance = 0;  ///< the confirmed performance if TaskNumbers::confirmed
  double final_share = 0;  ///< share of the optimum, or of the best confirmation if the optimum is not known
  std::array<double, goal_shares.size()> goal_seconds{};  ///< infinity: not reached
  std::array<double, goal_shares.size()> goal_trials{};
  double area_by_seconds = 0;
  double area_by_trials = 0;
  double score = 0;  ///< NaN without recorded members
  double trials = 0;
  double random_trials = 0;  ///< trials among these in the arm's random phase
};

/** Returns the number of a run for a measure. */
double run_number(const RunNumbers& run, const ComparedMeasure& measure);

/**
 * Returns by how much `own` is better by a measure: a difference, or the logarithm of the ratio for seconds
 * and trials. Returns an infinity if only one of them reached the goal, and 0 if neither did.
 */
double advantage_over(double own, double other, const ComparedMeasure& measure);

/** The runs of an arm on a task. */
struct RunCell {
  std::vector<RunNumbers> finished;
  std::size_t unfinished = 0;
  std::size_t failed = 0;
};

/** Facts about all runs of a task. */
struct TaskNumbers {
  bool confirmed = false;  ///< measured, and every finished run with a result has a confirmation
  std::array<bool, goal_shares.size()>
      within_noise{};      ///< the distance of the goal from the optimum is below the noise
  double final_noise = 0;  ///< ComparisonRow::final_noise
};

/** The numbers of all runs. */
struct NumberedRuns {
  std::size_t arms = 0;
  bool paired_starts = false;  ///< ComparedRuns::paired_starts
  std::vector<TaskNumbers> tasks;
  std::vector<RunCell> cells;  ///< by task, then arm

  /** Returns the runs of an arm on a task. */
  const RunCell& cell(std::size_t arm, std::size_t task) const { return cells[task * arms + arm]; }
};

NumberedRuns numbered_runs(const ComparedRuns& runs);  ///< numbers of finished runs that have not failed

}  // namespace kernelscape::analysis
