#pragma once

#include <string>
#include <vector>

#include "core/space/solver_model.h"

namespace kernelscape {

/**
 * Positions of constraints that contradict each other, as few as it takes: without any one of them there is a
 * configuration. Definitions that they rest on are not among them. Empty where it is not proven that there is
 * no configuration. Where a proof ends at its limit, the constraints contradict each other, but one of them
 * may not be needed for it.
 * @param limits of each of the proofs, which are some for each constraint that is named
 */
std::vector<std::size_t> contradicting_constraints(const std::vector<Knob>& knobs,
                                                   const ConstraintSystem& system,
                                                   const SolverLimits& limits = {});

/** Proofs that name conditions to a person end soon: an error without them is one as well. */
inline constexpr SolverLimits brief_proof_limits{.nodes = 500};

/** "threads <= 1024 (threads per block); tile_x.2 in {2048}": constraints in words, for an error. */
std::string describe_constraints(const ConstraintSystem& system, const std::vector<std::size_t>& constraints);

}  // namespace kernelscape
