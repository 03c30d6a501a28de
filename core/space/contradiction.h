#pragma once

#include <string>
#include <vector>

#include "core/space/solver_model.h"

namespace kernelscape::space {

/**
 * Returns the positions of a minimal set of constraints that contradict each other: without any one of them a
 * configuration exists. Definitions that the constraints use are not included. Empty if it is not proven that
 * no configuration exists. If a proof reaches its limit, the constraints contradict each other, but the set
 * may not be minimal.
 * @param limits of each proof; several proofs are needed per reported constraint
 */
std::vector<std::size_t> contradicting_constraints(const std::vector<Knob>& knobs,
                                                   const ConstraintSystem& system,
                                                   const SolverLimits& limits = {});

/** Proofs that name conditions to a person end soon: an error without them is one as well. */
inline constexpr SolverLimits brief_proof_limits{.nodes = 500};

/** "threads <= 1024 (threads per block); tile_x.2 in {2048}": constraints in words, for an error. */
std::string describe_constraints(const ConstraintSystem& system, const std::vector<std::size_t>& constraints);

}  // namespace kernelscape::space
