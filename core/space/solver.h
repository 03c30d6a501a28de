#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/space/configuration.h"
#include "core/space/constraint.h"

namespace kernelscape {

/** Values tried first, by knob; empty: none. */
using SolverHints = std::vector<std::optional<std::uint32_t>>;

struct SolverLimits {
  std::uint64_t nodes = 100'000;  ///< never seconds: the same search gives the same answer on any machine
};

enum class NoSolution { Proven, NodeLimit };

using Solution = std::variant<Configuration, NoSolution>;

/**
 * A configuration that satisfies `constraints` and `extra` (over the same variables), found by propagation
 * and a randomised search (Gecode), hinted knobs and values first. Deterministic in its arguments.
 *
 * Gecode's integers end at 2^31 - 2, and a product beyond them silently has no solution. So a constraint that
 * touches such a value, and every EXPRESSION, is held by a propagator of our own: 64-bit ranges over the
 * knobs' values, with the arithmetic of ConstraintSystem::evaluate. No valid system is refused.
 */
Result<Solution> solve(const std::vector<Knob>& knobs, const ConstraintSystem& constraints,
                       const std::vector<Constraint>& extra, const SolverHints& hints, Random random,
                       const SolverLimits& limits);

/** Whether `solve` can represent the system: it is valid over these knobs. The error names the constraint. */
Status check_solvable(const std::vector<Knob>& knobs, const ConstraintSystem& constraints);

}  // namespace kernelscape
