#pragma once

#include <cstdint>

#include "core/space/solver/gecode.h"

namespace kernelscape {

/** What a search narrows: the index of every knob's value, and the variables of a system. */
class SolverSpace final : public Gecode::Space {
 public:
  SolverSpace() = default;
  explicit SolverSpace(SolverSpace& other) : Space(other), propagations(other.propagations) {
    knobs.update(*this, other.knobs);
    variables.update(*this, other.variables);
  }
  Gecode::Space* copy() override { return new SolverSpace(*this); }

  /**
   * Propagates to a fixpoint; false: there is none, or the propagations are used up. Ranges as far apart as
   * numbers go may close in by one each time, which nobody waits for.
   */
  bool propagate() { return status() != Gecode::SS_FAILED && propagations > 0; }

  Gecode::IntVarArray knobs;
  Gecode::IntVarArray variables;   ///< those that are integers
  std::uint64_t propagations = 0;  ///< that a propagator of ours may still do
};

}  // namespace kernelscape
