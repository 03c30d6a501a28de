#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/space/solver/propagators.h"
#include "core/space/solver/solver_space.h"

namespace kernelscape {

/**
 * A constraint system posted in Gecode, and narrowed once as far as that goes without a search. Every
 * variable is an integer that an extra constraint can narrow, but for derived values beyond 2^31 of which
 * there are over 65,536: constraints on these, as every EXPRESSION, are conditions over the knobs' values.
 */
class PostedModel {
 public:
  /** The system has to be valid over the knobs. Refers to both. */
  PostedModel(const std::vector<Knob>& knobs, const ConstraintSystem& system);

  /** At a fixpoint; null where there is no solution, or it was given up. Any thread may ask. */
  std::unique_ptr<SolverSpace> copy() const;

  /** Narrowing took too long: whether there is a solution is not known. */
  bool given_up() const { return given_up_; }

  /** A variable's integer in a space; none: it has none. */
  struct Integer {
    int position = 0;  ///< in SolverSpace::variables
    ValueCode code;
  };
  /** Of the variable at this position of the system. */
  const std::optional<Integer>& integer(VariableId id) const { return integers_[id]; }

 private:
  friend class ModelBuilder;

  // What the propagators of all copies refer to.
  std::deque<std::vector<std::int64_t>> listed_;
  std::deque<FoldRule> folds_;
  std::deque<SelectRule> selects_;
  std::deque<AtMostRule> at_mosts_;
  std::deque<KnobRule> knobs_;
  std::deque<KnobCondition> conditions_;

  std::vector<std::optional<Integer>> integers_;
  std::unique_ptr<SolverSpace> root_;  ///< null: failed
  bool given_up_ = false;
  mutable std::mutex copying_;  ///< Gecode marks the variables of what it copies
};

}  // namespace kernelscape
