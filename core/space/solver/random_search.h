#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/space/solver/posted_model.h"
#include "core/space/solver_model.h"

namespace kernelscape {

/**
 * Depth-first: a knob is given a value or loses it, then all is propagated. Hinted knobs come first, each
 * part in random order; a hinted value first, then a random one of those left. Begun again in another order
 * after some hundred nodes, twice as many the next time: a bad first choice costs little.
 */
class RandomSearch {
 public:
  /** @param start at a fixpoint; its propagations are those of the whole search */
  RandomSearch(std::unique_ptr<SolverSpace> start, const SolverHints& hints, Random random);

  /** @param nodes how many values may be tried */
  Solution run(std::uint64_t nodes);

  /**
   * Finds the solution of the smallest index: the last knob is decided first, each with its smallest value,
   * without hints and in one attempt.
   * @param nodes how many values may be tried; those that were tried are subtracted
   */
  Solution run_in_order(std::uint64_t& nodes);

 private:
  /** A knob is given a value, or loses it. */
  struct Decision {
    int knob = 0;
    int value = 0;
    bool given = true;
  };
  /** The space after so many decisions. */
  struct Kept {
    std::size_t decisions = 0;
    std::unique_ptr<SolverSpace> space;
  };
  enum class End : std::uint8_t { Found, Proven, NodeLimit };

  void shuffle_knobs();
  End attempt(std::uint64_t& nodes);
  Solution solution_of(End end) const;
  /** Takes decisions back until all is consistent again; false where none is left. */
  bool step_back();
  void rebuild();
  int choose_value(int knob);
  bool propagate();
  void decide(const Decision& decision);

  std::vector<int> hints_;  ///< by knob; -1: none
  Random random_;
  bool in_order_ = false;   ///< the smallest values first
  std::vector<int> order_;  ///< of the knobs
  std::vector<Decision> decisions_;
  std::vector<Kept> kept_;  ///< the start, and spaces on the way that failures led back to
  std::unique_ptr<SolverSpace> current_;
  std::uint64_t propagations_;  ///< that are left
};

}  // namespace kernelscape
