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

namespace kernelscape {

/** The chance of a false alarm that tests are held against. */
constexpr double significance_level = 0.05;

/**
 * Against the baseline's runs, within a task: Mann-Whitney, or Wilcoxon's signed rank of the differences of
 * each repeat where starts are paired, since such runs are not independent.
 */
struct RunsTest {
  double p = 1;            ///< two-sided
  double corrected_p = 1;  ///< Holm over all tests of the table within tasks
  /** Vargha and Delaney: chance that a run of this arm is better (ends higher, gets there earlier) than one
   * of the baseline's. */
  double a12 = 0.5;
  bool can_be_significant = true;  ///< false: even the most extreme outcome could not pass the correction
  bool all_equal = false;          ///< all numbers (in pairs: both of each) are the same: not in the family
  bool paired = false;             ///< the signed-rank test
  std::size_t pairs = 0;           ///< repeats that both have
  std::size_t differing = 0;       ///< of these: with different numbers, which the signed-rank test is of
  /** Of pairs the rank-biserial correlation: 1 where the arm is better in all, -1 where it is worse. */
  double pair_effect = 0;

  /** Above 0 where the arm is better, below where the baseline is, by the effect that belongs to the test. */
  double direction() const { return paired ? pair_effect : a12 - 0.5; }
};

/** Wilcoxon's signed rank of the tasks' differences to the baseline. */
struct TasksTest {
  double p = 1;            ///< two-sided
  double corrected_p = 1;  ///< Holm over all tests of the table over tasks
  std::size_t tasks = 0;   ///< on which both have the number
  std::size_t better = 0;  ///< of these: the arm's is better
  std::size_t worse = 0;
  /** Twice the share of the tasks' signed ranks that speak for the arm, less 1: 1 where it is better on all,
   * -1 where it is worse (rank-biserial correlation). */
  double effect = 0;
  bool can_be_significant = true;  ///< false: not with so many tasks
};

/** An arm's median over the baseline's: below 1 it is there earlier. */
struct RatioToBaseline {
  /** Over all tasks the geometric mean of the tasks' ratios. Infinity or 0 where one median is infinite, not
   * a number where both are. */
  double ratio = 1;
  std::optional<ConfidenceInterval> interval;  ///< 95 %
};

/**
 * Reaching a share of the optimum (of the best found, where that is not known). A run that did not get there
 * counts as infinity, and so does the median where it falls on one.
 */
struct GoalReached {
  double share = 0;           ///< 0.90, 0.95, 0.99
  double median_seconds = 0;  ///< session time; infinity where fewer than half of the runs got there
  double median_trials = 0;
  std::size_t reached = 0;
  std::size_t runs = 0;  ///< finished ones; over all tasks of those where the goal is not within the noise
  /** The goal is nearer to the optimum than ComparedTask::noise: it is not offered, and not tested. Over all
   * tasks: on all of them. */
  bool within_noise = false;
  /** The median lies in the arm's random phase, or no run got past it; never of an arm that only draws. */
  bool in_random_phase = false;
  std::optional<ConfidenceInterval> seconds_interval;  ///< of the median, 95 %; ends may be infinity
  std::optional<ConfidenceInterval> trials_interval;
  std::optional<RatioToBaseline> seconds_ratio;  ///< none for the baseline itself
  std::optional<RatioToBaseline> trials_ratio;
  std::optional<RunsTest> seconds_test;  ///< within a task; less is better
  std::optional<RunsTest> trials_test;
  std::optional<TasksTest> seconds_tasks_test;  ///< over all tasks, of the logarithms of the medians' ratios
  std::optional<TasksTest> trials_tasks_test;
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
  /** Performance at the end; over all tasks: share of optimum. Where the task is measured and all its
   * finished runs have one, this is the confirmation, not what the tuning saw. */
  double mean_final = 0;
  double median_final = 0;
  double final_share = 0;  ///< mean share of the optimum (of the best found, where that is not known)
  std::array<GoalReached, goal_shares.size()> goals;
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
   * of, as far as the task's longest finished run goes. The optimum is the best member. A run that ended
   * before the last point counts its last value from then on. Not a number where members are not recorded or
   * equally fast, where all runs end before the first point, and where no run has finished.
   * Source: Willemsen et al., "A methodology for comparing optimization algorithms for auto-tuning", Future
   * Generation Computer Systems, 2024.
   */
  double score = 0;
  /** Shares of the optimum that differ by less say nothing of the kernels: ComparedTask::noise where the task
   * is recorded, since every run sees the same recorded numbers. 0: measured kernels, not known, all tasks.
   */
  double final_noise = 0;
  bool confirmed = false;    ///< the final performance is that of confirmations; over all tasks: on all
  double trials = 0;         ///< mean trials of a run
  double random_trials = 0;  ///< of these: in the arm's random phase
  /** 95 %, by the bootstrap over runs, and over tasks too in rows over several tasks where tasks are drawn
   * (BootstrapOptions::over_tasks); none below 2 runs of the smallest sample. */
  std::optional<ConfidenceInterval> mean_final_interval;
  std::optional<ConfidenceInterval> median_final_interval;
  std::optional<ConfidenceInterval> share_interval;
  std::optional<ConfidenceInterval> area_by_seconds_interval;
  std::optional<ConfidenceInterval> area_by_trials_interval;
  std::optional<ConfidenceInterval> score_interval;
  /** Of final_share, and of the score, less the baseline's; none for the baseline itself. */
  std::optional<ConfidenceInterval> share_difference_interval;
  std::optional<ConfidenceInterval> score_difference_interval;
  /** On the final performance, within a task; none for the baseline itself, or without runs of both. */
  std::optional<RunsTest> test;
  std::optional<RunsTest> score_test;  ///< the same on the runs' scores
  /** Over all tasks, of their mean shares: none for the baseline itself, and where fewer than 2 tasks have
   * runs of both. */
  std::optional<TasksTest> tasks_test;
  std::optional<TasksTest> score_tasks_test;  ///< the same of the tasks' scores
  std::optional<double> wilcoxon_p;           ///< of tasks_test, not corrected
};

/** All rows of a comparison. */
struct ComparisonTable {
  std::size_t baseline = 0;
  std::vector<ComparisonRow> rows;     ///< per arm over all tasks first, then per task and arm
  std::size_t tests_within_tasks = 0;  ///< that Holm's correction is over
  std::size_t tests_over_tasks = 0;
  BootstrapOptions bootstrap;  ///< how the intervals were found
  bool paired_starts = false;  ///< tests within tasks are of pairs, and repeats are drawn for all arms alike

  /** The row of an arm on a task, or over all tasks; null: there is none. */
  const ComparisonRow* row(std::size_t arm, const std::optional<std::size_t>& task) const;
  /** The same of the baseline. */
  const ComparisonRow* baseline_row(const std::optional<std::size_t>& task) const {
    return row(baseline, task);
  }
};

/**
 * Final values, goals, areas, scores, their intervals and tests of every arm. A second for 2,000 runs at
 * most.
 * @param baseline an arm
 */
ComparisonTable comparison_table(const ComparedRuns& runs, std::size_t baseline,
                                 const BootstrapOptions& bootstrap = {});

/** The test of a measure within the row's task, if there is one. */
const std::optional<RunsTest>& row_test(const ComparisonRow& row, const ComparedMeasure& measure);
/** The test of a measure over tasks, if there is one. */
const std::optional<TasksTest>& row_tasks_test(const ComparisonRow& row, const ComparedMeasure& measure);
/** The row's number that a measure is about: median seconds or trials, score, final share. */
double row_number(const ComparisonRow& row, const ComparedMeasure& measure);
/** Its interval. */
const std::optional<ConfidenceInterval>& row_interval(const ComparisonRow& row,
                                                      const ComparedMeasure& measure);

}  // namespace kernelscape
