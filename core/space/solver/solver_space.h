#pragma once

#include <cstdint>

#include "core/space/solver/gecode.h"

namespace kernelscape::space {

/** The state of a search: the index of every knob's value, and the variables of a system. */
class SolverSpace final : public Gecode::Space {
 public:
  SolverSpace() = default;
  explicit SolverSpace(SolverSpace& other) : Space(other), propagations(other.propagations) {
    knobs.update(*this, other.knobs);
    variables.update(*this, other.variables);
  }
  Gecode::Space* copy() override { return new SolverSpace(*this); }

  /**
   * Propagates to a fixpoint. Returns false if the space has failed, or the propagations are used up: bounds
   * that are far apart may approach each other by one per propagation, which would take forever.
   */
  bool propagate() { return status() != Gecode::SS_FAILED && propagations > 0; }

  Gecode::IntVarArray knobs;
  Gecode::IntVarArray variables;   ///< variables that are integers
  std::uint64_t propagations = 0;  ///< remaining propagations of RulePropagators
};

}  // namespace kernelscape::space
