#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/space/solver/propagators.h"
#include "core/space/solver/solver_space.h"

namespace kernelscape::space {

/**
 * A constraint system posted in Gecode, and propagated once to a fixpoint without a search. Every variable is
 * an integer that an extra constraint can narrow, except derived variables beyond 2^31 with more than 65,536
 * values: constraints on these, and every EXPRESSION, become conditions over the knobs' values.
 */
class PostedModel {
 public:
  /** Posts a system, which must be valid over the knobs. Refers to both. */
  PostedModel(const std::vector<Knob>& knobs, const ConstraintSystem& system);

  /**
   * Returns a copy of the space at the fixpoint; null if there is no solution or the propagation was given
   * up. Thread-safe.
   */
  std::unique_ptr<SolverSpace> copy() const;

  /** Returns true if the propagation took too long, so that it is unknown whether there is a solution. */
  bool given_up() const { return given_up_; }

  /** The Gecode integer of a variable in a space. */
  struct Integer {
    int position = 0;  ///< in SolverSpace::variables
    ValueCode code;
  };
  /** Returns the integer of the variable at this position of the system, or nullopt if it has none. */
  const std::optional<Integer>& integer(VariableId id) const { return integers_[id]; }

 private:
  friend class ModelBuilder;

  // Data that the propagators of all copies refer to.
  std::deque<std::vector<std::int64_t>> listed_;
  std::deque<FoldRule> folds_;
  std::deque<SelectRule> selects_;
  std::deque<AtMostRule> at_mosts_;
  std::deque<KnobRule> knobs_;
  std::deque<KnobCondition> conditions_;

  std::vector<std::optional<Integer>> integers_;
  std::unique_ptr<SolverSpace> root_;  ///< null: failed
  bool given_up_ = false;
  mutable std::mutex copying_;  ///< Gecode marks the variables of a space while copying it
};

}  // namespace kernelscape::space
