#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/comparison/comparison_table.h"

namespace kernelscape::analysis {

/**
 * Friedman's test of the hypothesis that all arms rank equally on the blocks (tasks). Source: Demsar,
 * "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.
 */
struct FriedmanTest {
  std::size_t blocks = 0;
  std::vector<double> mean_ranks;  ///< by arm; 1: best on every block; equal values share their mean rank
  double chi_square = 0;           ///< corrected for ties; with arms - 1 degrees of freedom
  double chi_square_p = 1;
  /**
   * Iman and Davenport's F, less conservative; infinity if all blocks have the same ranks. With arms - 1 and
   * (arms - 1)(blocks - 1) degrees of freedom.
   */
  double f = 0;
  double p = 1;  ///< p of F
  /**
   * Nemenyi's critical difference: mean ranks that differ by more are distinguished at 0.05. Infinity above
   * 20 arms.
   */
  double critical_difference = 0;

  /** Returns true if the test rejects the hypothesis, so that differences may be interpreted. */
  bool significant() const { return p <= significance_level; }
};

/**
 * Runs the test.
 * @param blocks the values of every arm, in blocks of equal size; no value may be NaN
 * @param less_is_better true: lower values are better
 * @return nullopt below 2 arms or 2 blocks
 */
std::optional<FriedmanTest> friedman_test(std::span<const std::vector<double>> blocks,
                                          bool less_is_better = false);

/**
 * Returns Nemenyi's critical value at 0.05: the studentized range with infinitely many degrees of freedom,
 * over the square root of 2. Returns nullopt below 2 and above 20 arms.
 */
std::optional<double> nemenyi_critical_value(std::size_t arms);

/** Arms whose mean ranks lie within the critical difference, connected by a line in the diagram. */
struct RankGroup {
  std::vector<std::size_t> arms;  ///< at least 2, by mean rank

  bool operator==(const RankGroup&) const = default;
};

/** Returns the largest such groups, none inside another, ordered by the best mean rank. */
std::vector<RankGroup> rank_groups(const FriedmanTest& test);

/** Friedman's test of a table's arms over its tasks, with the arms in the table's order. */
struct TaskRanking {
  std::vector<std::size_t> arms;   ///< arms with a finished run on some task: mean_ranks[i] is of arms[i]
  std::vector<std::size_t> tasks;  ///< tasks on which each of these arms has a number: the blocks
  FriedmanTest test;
};

/**
 * Ranks the arms by a number of each task's rows. Leaves out as blocks: goals within the noise of a task,
 * final performances that all lie within it, and scores that are NaN. A median of infinity is worse than all
 * others.
 * @return nullopt if fewer than 2 arms or 2 tasks remain
 */
std::optional<TaskRanking> rank_over_tasks(const ComparisonTable& table, const ComparedMeasure& measure);

}  // namespace kernelscape::analysis
