#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kernelscape {

/**
 * What a random search without replacement is expected to have found: exact, from all members. The best of n
 * draws is at most the member of rank i (0: the best) where none of the i better ones was drawn, which is a
 * product of i ratios: nothing overflows, and a call takes at most as many steps as there are members.
 */
class RandomSearchExpectation {
 public:
  /** @param members performance of every member, 0 for failures; higher is better; in any order */
  explicit RandomSearchExpectation(std::span<const double> members);

  /** Expected best after `trials` draws (clamped to the number of members); 0 after none. */
  double best_after(std::size_t trials) const;
  /** The fewest draws after which the expected best reaches `performance`; the number of members where it
   * never does. */
  std::size_t trials_to(double performance) const;
  /** Standard deviation of the best after `trials` draws. */
  double deviation_after(std::size_t trials) const;
  double optimum() const;       ///< 0 without members
  double median_valid() const;  ///< of the members that are no failures; 0 without
  /** Of the space, failures included: the draws after which all is known. */
  std::size_t members() const { return sorted_.size(); }

 private:
  std::vector<double> sorted_;  ///< descending
};

/** Where runs are compared with the random search. */
struct ScorePoint {
  double trials = 0;
  double expected = 0;  ///< best so far of the random search, of as many whole trials
};

/**
 * 50 equidistant points from the trials after which the random search is expected to be as good as the median
 * valid member (itself no point) to those after which it is 95 % of the way from there to the optimum. Only
 * the last where these are the same. Points where the random search has the optimum are left out: none is
 * left where all valid members are equally fast. Source: see ComparisonRow::score.
 */
std::vector<ScorePoint> score_points(const RandomSearchExpectation& search);

}  // namespace kernelscape
