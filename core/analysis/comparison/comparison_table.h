#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/comparison/bootstrap.h"
#include "core/analysis/comparison/compared_measure.h"
#include "core/analysis/comparison/compared_runs.h"
#include "core/analysis/comparison/intervals.h"

namespace kernelscape::analysis {

/** The significance level of the tests: the accepted probability of a false positive. */
constexpr double significance_level = 0.05;

/**
 * Test against the baseline's runs within a task: Mann-Whitney, or Wilcoxon's signed rank of the differences
 * of each repeat for paired starts, since such runs are not independent.
 */
struct RunsTest {
  double p = 1;            ///< two-sided
  double corrected_p = 1;  ///< Holm over all tests of the table within tasks
  /**
   * Vargha and Delaney's A12: the probability that a run of this arm is better (ends higher, reaches the goal
   * earlier) than a run of the baseline.
   */
  double a12 = 0.5;
  bool can_be_significant = true;  ///< false: even the most extreme outcome could not pass the correction
  bool all_equal = false;  ///< all numbers (both numbers of each pair) are equal: not in the family of tests
  bool paired = false;     ///< the signed-rank test
  std::size_t pairs = 0;   ///< repeats that both arms have
  std::size_t differing = 0;  ///< pairs with different numbers, on which the signed-rank test is based
  /** For pairs, the rank-biserial correlation: 1 if the arm is better in all, -1 if it is worse. */
  double pair_effect = 0;

  /**
   * Returns a number above 0 if the arm is better and below 0 if the baseline is, from the effect size of the
   * test.
   */
  double direction() const { return paired ? pair_effect : a12 - 0.5; }
};

/** Wilcoxon's signed-rank test of the tasks' differences to the baseline. */
struct TasksTest {
  double p = 1;            ///< two-sided
  double corrected_p = 1;  ///< Holm over all tests of the table over tasks
  std::size_t tasks = 0;   ///< tasks on which both have the number
  std::size_t better = 0;  ///< tasks among these on which the arm's number is better
  std::size_t worse = 0;
  /**
   * Twice the share of the tasks' signed ranks in favour of the arm, minus 1: 1 if it is better on all, -1 if
   * it is worse (rank-biserial correlation).
   */
  double effect = 0;
  bool can_be_significant = true;  ///< false: impossible with so few tasks
};

/** An arm's median over the baseline's: below 1 if the arm is faster. */
struct RatioToBaseline {
  /**
   * Over all tasks the geometric mean of the tasks' ratios. Infinity or 0 if one median is infinite, NaN if
   * both are.
   */
  double ratio = 1;
  std::optional<ConfidenceInterval> interval;  ///< 95 %
};

/**
 * The time to reach a share of the optimum (of the best found, if the optimum is not known). A run that did
 * not reach it counts as infinity, and so does the median if it falls on such a run.
 */
struct GoalReached {
  double share = 0;           ///< 0.90, 0.95, 0.99
  double median_seconds = 0;  ///< session time; infinity if fewer than half of the runs reached the goal
  double median_trials = 0;
  std::size_t reached = 0;
  /** Finished runs; over all tasks, those on tasks where the goal is not within the noise. */
  std::size_t runs = 0;
  /**
   * The distance of the goal from the optimum is below ComparedTask::noise: the goal is neither shown nor
   * tested. Over all tasks: on all of them.
   */
  bool within_noise = false;
  /**
   * The median lies in the arm's random phase, or no run got past it; never for an arm that only draws at
   * random.
   */
  bool in_random_phase = false;
  std::optional<ConfidenceInterval> seconds_interval;  ///< of the median, 95 %; ends may be infinity
  std::optional<ConfidenceInterval> trials_interval;
  std::optional<RatioToBaseline> seconds_ratio;  ///< nullopt for the baseline itself
  std::optional<RatioToBaseline> trials_ratio;
  std::optional<RunsTest> seconds_test;  ///< within a task; less is better
  std::optional<RunsTest> trials_test;
  std::optional<TasksTest> seconds_tasks_test;  ///< over all tasks, on the logarithms of the medians' ratios
  std::optional<TasksTest> trials_tasks_test;
};

/**
 * A row of the comparison: an arm on a task, or an arm over all tasks. All numbers are over finished runs,
 * and 0 if there are none. Over all tasks, medians are over all runs, and the other numbers are means over
 * the tasks that have a finished run.
 */
struct ComparisonRow {
  std::size_t arm = 0;
  std::optional<std::size_t> task;  ///< nullopt: over all tasks
  std::size_t runs = 0;             ///< finished runs that did not fail: the n of all numbers
  std::size_t unfinished = 0;       ///< running or interrupted
  std::size_t failed = 0;
  /**
   * Performance at the end; over all tasks, the share of the optimum. If the task is measured and all its
   * finished runs have a confirmation, this is the confirmed performance instead of that seen during tuning.
   */
  double mean_final = 0;
  double median_final = 0;
  double final_share = 0;  ///< mean share of the optimum (of the best found, if the optimum is not known)
  std::array<GoalReached, goal_shares.size()> goals;
  /**
   * Mean share of the optimum over the time from 0 to the end of the task's longest finished run of any arm,
   * 0 to 1; a shorter run counts its last value after its end.
   */
  double area_by_seconds = 0;
  double area_by_trials = 0;
  /**
   * The methodology's score against the expected random search B. 0: equal to random, 1: the optimum at once,
   * below 0: worse than random. Mean over runs and points x of
   *   (best so far of the run at x - B(x)) / (optimum - B(x))
   * at the points of score_points() up to the end of the task's longest finished run. Points are in trials,
   * since on the clock results of batches arrive late, which B does not model. The optimum is the best
   * member. A run that ended before the last point counts its last value from then on. NaN if members are not
   * recorded or all equally fast, if all runs end before the first point, or if no run has finished. Source:
   * Willemsen et al., "A methodology for comparing optimization algorithms for auto-tuning", Future
   * Generation Computer Systems, 2024.
   */
  double score = 0;
  /**
   * Smaller differences of shares of the optimum do not distinguish kernels: ComparedTask::noise if the task
   * is recorded, since every run reads the same recorded numbers. 0: measured kernels, not known, all tasks.
   */
  double final_noise = 0;
  bool confirmed = false;    ///< the final performance is confirmed; over all tasks: on all of them
  double trials = 0;         ///< mean trials of a run
  double random_trials = 0;  ///< trials among these in the arm's random phase
  /**
   * 95 % intervals by the bootstrap over runs; in rows over several tasks, over tasks too if tasks are drawn
   * (BootstrapOptions::over_tasks). nullopt if the smallest sample has fewer than 2 runs.
   */
  std::optional<ConfidenceInterval> mean_final_interval;
  std::optional<ConfidenceInterval> median_final_interval;
  std::optional<ConfidenceInterval> share_interval;
  std::optional<ConfidenceInterval> area_by_seconds_interval;
  std::optional<ConfidenceInterval> area_by_trials_interval;
  std::optional<ConfidenceInterval> score_interval;
  /** Intervals of final_share and of the score minus the baseline's; nullopt for the baseline itself. */
  std::optional<ConfidenceInterval> share_difference_interval;
  std::optional<ConfidenceInterval> score_difference_interval;
  /**
   * Test of the final performance within a task; nullopt for the baseline itself, or without runs of both.
   */
  std::optional<RunsTest> test;
  std::optional<RunsTest> score_test;  ///< test of the runs' scores
  /**
   * Test over all tasks of their mean shares; nullopt for the baseline itself, or if fewer than 2 tasks have
   * runs of both.
   */
  std::optional<TasksTest> tasks_test;
  std::optional<TasksTest> score_tasks_test;  ///< test of the tasks' scores
  std::optional<double> wilcoxon_p;           ///< p of tasks_test, not corrected
};

/** All rows of a comparison. */
struct ComparisonTable {
  std::size_t baseline = 0;
  std::vector<ComparisonRow> rows;     ///< per arm over all tasks first, then per task and arm
  std::size_t tests_within_tasks = 0;  ///< size of the family for Holm's correction
  std::size_t tests_over_tasks = 0;
  BootstrapOptions bootstrap;  ///< options with which the intervals were computed
  /** Tests within tasks are paired, and resamples draw the same repeats for all arms. */
  bool paired_starts = false;

  /** Returns the row of an arm on a task, or over all tasks, or null if there is none. */
  const ComparisonRow* row(std::size_t arm, const std::optional<std::size_t>& task) const;
  /** Returns the row of the baseline on a task, or over all tasks, or null if there is none. */
  const ComparisonRow* baseline_row(const std::optional<std::size_t>& task) const {
    return row(baseline, task);
  }
};

/**
 * Computes final values, goals, areas, scores, their intervals and tests of every arm. Takes at most a second
 * for 2,000 runs.
 * @param baseline an arm
 */
ComparisonTable comparison_table(const ComparedRuns& runs, std::size_t baseline,
                                 const BootstrapOptions& bootstrap = {});

/** Returns the test of a measure within the row's task, if there is one. */
const std::optional<RunsTest>& row_test(const ComparisonRow& row, const ComparedMeasure& measure);
/** Returns the test of a measure over tasks, if there is one. */
const std::optional<TasksTest>& row_tasks_test(const ComparisonRow& row, const ComparedMeasure& measure);
/** Returns the row's number for a measure: median seconds or trials, score, final share. */
double row_number(const ComparisonRow& row, const ComparedMeasure& measure);
/** Returns the interval of row_number(), if there is one. */
const std::optional<ConfidenceInterval>& row_interval(const ComparisonRow& row,
                                                      const ComparedMeasure& measure);

}  // namespace kernelscape::analysis
