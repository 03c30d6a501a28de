#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/analysis/comparison/compared_measure.h"
#include "core/analysis/comparison/compared_runs.h"

namespace kernelscape {

/** What a finished run comes to: computed once, so that tests and resamples need no curves. */
struct RunNumbers {
  int repeat = 0;                ///< by which runs of paired starts are paired
  double final_performance = 0;  ///< its confirmation where TaskNumbers::confirmed
  double final_share = 0;        ///< of the optimum; of the best confirmation where that is not known
  std::array<double, goal_shares.size()> goal_seconds{};  ///< infinity: not reached
  std::array<double, goal_shares.size()> goal_trials{};
  double area_by_seconds = 0;
  double area_by_trials = 0;
  double score = 0;  ///< not a number without recorded members
  double trials = 0;
  double random_trials = 0;  ///< of these: in the arm's random phase
};

/** Of a run. */
double run_number(const RunNumbers& run, const ComparedMeasure& measure);

/** By how much `own` is better by a measure: a difference, or the logarithm of the ratio of seconds and
 * trials; infinite where only one of them got there, 0 where neither did. */
double advantage_over(double own, double other, const ComparedMeasure& measure);

/** An arm on a task. */
struct RunCell {
  std::vector<RunNumbers> finished;
  std::size_t unfinished = 0;
  std::size_t failed = 0;
};

/** What holds for all runs of a task. */
struct TaskNumbers {
  bool confirmed = false;  ///< measured, and every finished run that found anything has a confirmation
  std::array<bool, goal_shares.size()> within_noise{};  ///< the goal is nearer to the optimum than the noise
  double final_noise = 0;                               ///< ComparisonRow::final_noise
};

/** All runs as numbers. */
struct NumberedRuns {
  std::size_t arms = 0;
  bool paired_starts = false;  ///< ComparedRuns::paired_starts
  std::vector<TaskNumbers> tasks;
  std::vector<RunCell> cells;  ///< by task, then arm

  /** Of an arm on a task. */
  const RunCell& cell(std::size_t arm, std::size_t task) const { return cells[task * arms + arm]; }
};

NumberedRuns numbered_runs(const ComparedRuns& runs);  ///< of finished runs that have not failed

}  // namespace kernelscape
