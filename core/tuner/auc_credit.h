#pragma once

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "core/base/random.h"

namespace kernelscape::tuner {

/**
 * Credit for the arms of a bandit by the area under the curve (Fialho et al. 2010, as in OpenTuner): among
 * the last results, an arm's curve rises where its result was a new best, and its area counts late rises
 * more. Arms with few results among these get more exploration.
 */
class AucCredit {
 public:
  /**
   * @param window number of the last results that count
   * @param exploration weight C of the exploration
   */
  AucCredit(std::size_t arms, std::size_t window, double exploration);

  /** Adds a result of an arm. */
  void add(std::size_t arm, bool new_best);

  /** Returns the area of an arm, from 0 to 1; 0 without results. */
  double area(std::size_t arm) const;
  /** Returns the area plus C sqrt(2 log2(results) / results of the arm); infinite without results. */
  double score(std::size_t arm) const;
  /** Returns the arms by their scores, the highest first, equal ones in random order. */
  std::vector<std::size_t> order(base::Random& random) const;

 private:
  std::size_t arms_;
  std::size_t window_;
  double exploration_;
  std::deque<std::pair<std::size_t, bool>> results_;
};

}  // namespace kernelscape::tuner
