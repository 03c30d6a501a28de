#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/space/solver/posted_model.h"
#include "core/space/solver_model.h"

namespace kernelscape::space {

/**
 * Depth-first search: each decision assigns a value to a knob or removes it, then constraints are propagated.
 * Hinted knobs come first, each group in random order; the hinted value is tried first, then random remaining
 * values. The search restarts in another order after some hundred nodes, doubling that limit each time, so
 * that a bad first choice costs little.
 */
class RandomSearch {
 public:
  /** @param start space at a fixpoint; its propagation limit is that of the whole search */
  RandomSearch(std::unique_ptr<SolverSpace> start, const SolverHints& hints, base::Random random);

  /** Runs the search. @param nodes maximum number of values to try */
  Solution run(std::uint64_t nodes);

  /**
   * Finds the solution with the smallest index: the last knob is decided first, smallest values first,
   * without hints and without restarts.
   * @param nodes maximum number of values to try; the number of tried values is subtracted
   */
  Solution run_in_order(std::uint64_t& nodes);

 private:
  /** Assigns a value to a knob, or removes the value. */
  struct Decision {
    int knob = 0;
    int value = 0;
    bool given = true;
  };
  /** The space after a number of decisions. */
  struct Kept {
    std::size_t decisions = 0;
    std::unique_ptr<SolverSpace> space;
  };
  enum class End : std::uint8_t { Found, Proven, NodeLimit };

  void shuffle_knobs();
  End attempt(std::uint64_t& nodes);
  Solution solution_of(End end) const;
  /** Backtracks until the space is consistent again. Returns false if no decision is left. */
  bool step_back();
  void rebuild();
  int choose_value(int knob);
  bool propagate();
  void decide(const Decision& decision);

  std::vector<int> hints_;  ///< by knob; -1: none
  base::Random random_;
  bool in_order_ = false;   ///< the smallest values first
  std::vector<int> order_;  ///< of the knobs
  std::vector<Decision> decisions_;
  std::vector<Kept> kept_;  ///< the start, and intermediate spaces to which the search backtracked
  std::unique_ptr<SolverSpace> current_;
  std::uint64_t propagations_;  ///< remaining propagations
};

}  // namespace kernelscape::space
