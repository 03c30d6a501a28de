#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/comparison/comparison_table.h"

namespace kernelscape {

/**
 * Friedman's test: whether arms rank alike on the blocks (tasks). Source: Demsar, "Statistical comparisons of
 * classifiers over multiple data sets", JMLR 7, 2006.
 */
struct FriedmanTest {
  std::size_t blocks = 0;
  std::vector<double> mean_ranks;  ///< by arm; 1: best on every block; equal values share their mean rank
  double chi_square = 0;           ///< corrected for ties; of arms - 1 degrees of freedom
  double chi_square_p = 1;
  /** Iman and Davenport's F, less conservative; infinity where all blocks rank alike. Of arms - 1 and
   * (arms - 1)(blocks - 1) degrees of freedom. */
  double f = 0;
  double p = 1;  ///< of F
  /** Nemenyi's: mean ranks that differ by more are told apart at 0.05. Infinity above 20 arms. */
  double critical_difference = 0;

  /** The test rejects, so that differences may be looked at. */
  bool significant() const { return p <= significance_level; }
};

/**
 * @param blocks each with a value of every arm, as many everywhere, none not a number
 * @param less_is_better else more is
 * @return none below 2 arms or 2 blocks
 */
std::optional<FriedmanTest> friedman_test(std::span<const std::vector<double>> blocks,
                                          bool less_is_better = false);

/** Nemenyi's critical value at 0.05: the studentized range of infinitely many degrees of freedom, over the
 * root of 2. None below 2 and above 20 arms. */
std::optional<double> nemenyi_critical_value(std::size_t arms);

/** Arms whose mean ranks lie within the critical difference: what a line joins in the diagram. */
struct RankGroup {
  std::vector<std::size_t> arms;  ///< at least 2, by mean rank

  bool operator==(const RankGroup&) const = default;
};

/** The largest such groups, none inside another, by the best mean rank. */
std::vector<RankGroup> rank_groups(const FriedmanTest& test);

/** Friedman's test of a table's arms over its tasks, the test's arms in the table's order. */
struct TaskRanking {
  std::vector<std::size_t> arms;   ///< with a finished run on some task: mean_ranks[i] is of arms[i]
  std::vector<std::size_t> tasks;  ///< on which each of them has a number: the blocks
  FriedmanTest test;
};

/**
 * Ranks by a number of each task's rows. Goals within the noise of a task, final performances that all lie
 * within it, and scores that are not numbers, are no blocks; a median of infinity is worse than all others.
 * @return none where fewer than 2 arms and 2 tasks are left
 */
std::optional<TaskRanking> rank_over_tasks(const ComparisonTable& table, const ComparedMeasure& measure);

}  // namespace kernelscape
