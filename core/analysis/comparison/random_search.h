#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kernelscape::analysis {

/**
 * The exact expectation of a random search without replacement, computed from all members. The best of n
 * draws is at most the member of rank i (0: the best) if none of the i better ones was drawn, whose
 * probability is a product of i ratios. Nothing overflows, and a call takes at most as many steps as there
 * are members.
 */
class RandomSearchExpectation {
 public:
  /** @param members performance of every member, 0 for failures; higher is better; in any order */
  explicit RandomSearchExpectation(std::span<const double> members);

  /** Returns the expected best after `trials` draws (clamped to the number of members), or 0 after none. */
  double best_after(std::size_t trials) const;
  /**
   * Returns the smallest number of draws after which the expected best reaches `performance`, or the number
   * of members if it never does.
   */
  std::size_t trials_to(double performance) const;
  /** Returns the standard deviation of the best after `trials` draws. */
  double deviation_after(std::size_t trials) const;
  double optimum() const;       ///< 0 without members
  double median_valid() const;  ///< median of the members that are not failures; 0 without any
  /**
   * Returns the size of the space, including failures: the number of draws after which everything is known.
   */
  std::size_t members() const { return sorted_.size(); }

  /** Descending. */
 private:
  std::vector<double> sorted_;
};

/** A point at which runs are compared with the random search. */
struct ScorePoint {
  double trials = 0;
  double expected = 0;  ///< expected best so far of the random search after as many whole trials
};

/**
 * Returns 50 equidistant points, from the number of trials after which the random search is expected to be as
 * good as the median valid member (itself not a point) to that after which it is 95 % of the way from there
 * to the optimum. Returns only the last if these are equal. Leaves out points where the random search has the
 * optimum, so none remains if all valid members are equally fast. Source: see ComparisonRow::score.
 */
std::vector<ScorePoint> score_points(const RandomSearchExpectation& search);

}  // namespace kernelscape::analysis
