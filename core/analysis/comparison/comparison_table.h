#pragma once

#include <array>

#include "core/analysis/comparison/compared_runs.h"

namespace kernelscape {

/** The chance of a false alarm that tests are held against. */
constexpr double significance_level = 0.05;

/**
 * Reaching a share of the optimum (of the best found, where that is not known). A run that did not get there
 * counts as infinity, and so does the median where it falls on one.
 */
struct GoalReached {
  double share = 0;           ///< 0.90, 0.95, 0.99
  double median_seconds = 0;  ///< session time; infinity where fewer than half of the runs got there
  double median_trials = 0;
  std::size_t reached = 0;
  std::size_t runs = 0;  ///< finished ones
};

/** Mann-Whitney on the final performance against the baseline's, within a task. */
struct PairedTest {
  double p = 1;            ///< two-sided
  double corrected_p = 1;  ///< Holm over all tests of the table
  double a12 = 0.5;  ///< Vargha and Delaney: chance that a run of this arm ends better than the baseline's
  bool can_be_significant = true;  ///< false: even the most extreme outcome could not pass the correction
};

/**
 * A row of the comparison: an arm on a task, or an arm over all tasks. All numbers are over finished runs,
 * and 0 where there is none. Over all tasks, medians are over all runs, and the others are means of the
 * numbers of the tasks that have a finished run.
 */
struct ComparisonRow {
  std::size_t arm = 0;
  std::optional<std::size_t> task;  ///< none: over all tasks
  std::size_t runs = 0;             ///< finished, and not failed: the n of all numbers
  std::size_t unfinished = 0;       ///< running or interrupted
  std::size_t failed = 0;
  double mean_final = 0;  ///< performance at the end; over all tasks: share of optimum
  double median_final = 0;
  double final_share = 0;  ///< mean share of the optimum (of the best found, where that is not known)
  std::array<GoalReached, 3> goals;
  /** Mean share of the optimum over the time from 0 to the end of the task's longest finished run of any arm,
   * 0 to 1; a shorter run counts its last value from its end on. */
  double area_by_seconds = 0;
  double area_by_trials = 0;
  /**
   * The methodology's score against the expected random search B, 0: as random, 1: the optimum at once, below
   * 0: worse than random. Mean over runs and points x of
   *
   *   (best so far of the run at x - B(x)) / (optimum - B(x))
   *
   * at the points of score_points(), in trials: batches are known late on the clock, which B knows nothing
   * of. The optimum is the best member. A run that ended before the last point counts its last value from
   * then on. Not a number where members are not recorded or equally fast, and where no run has finished.
   * Source: Willemsen et al., "A methodology for comparing optimization algorithms for auto-tuning", Future
   * Generation Computer Systems, 2024.
   */
  double score = 0;
  std::optional<PairedTest> test;  ///< within a task; none for the baseline itself, or without runs of both
  /** Over all tasks: Wilcoxon's signed rank of the tasks' differences in mean share to the baseline, not
   * corrected. None for the baseline itself, and where fewer than 2 tasks have runs of both. */
  std::optional<double> wilcoxon_p;
};

struct ComparisonTable {
  std::size_t baseline = 0;
  std::vector<ComparisonRow> rows;  ///< per arm over all tasks first, then per task and arm
};

/** Final values, goals, areas, scores and tests of every arm. @param baseline an arm */
ComparisonTable comparison_table(const ComparedRuns& runs, std::size_t baseline);

/**
 * Phase times of an arm as means per run (NoSE, Figure 6), tasks weighing the same: wall shares. Over
 * finished runs; on a task where the arm has none, over those that go on. All zero without runs.
 */
struct PhaseTimes {
  double search_seconds = 0;
  double build_seconds = 0;
  double run_seconds = 0;
  double idle_seconds = 0;
};
/** As PhaseTimes says. @param arm position in runs.arms */
PhaseTimes phase_times(const ComparedRuns& runs, std::size_t arm);

/**
 * Error categories of an arm as means per run (NoSE, Figures 7A and 7B), over the runs that PhaseTimes takes,
 * tasks weighing the same. Runs without trials (work) have no shares.
 */
struct CategoryShares {
  std::array<double, error_category_count> trials{};        ///< share of trials, sums to 1 (0 without any)
  std::array<double, error_category_count> work_seconds{};  ///< share of build and run work seconds
  double trials_per_run = 0;
  double work_seconds_per_run = 0;
};
/** As CategoryShares says. @param arm position in runs.arms */
CategoryShares category_shares(const ComparedRuns& runs, std::size_t arm);

}  // namespace kernelscape
