#pragma once

#include <vector>

#include "core/space/constraint.h"

namespace kernelscape::space {

/**
 * Returns how far a configuration is from satisfying each constraint: 0 if it holds, else a finite value
 * above 0. This is |left - right| for an equality (PROD, SUM and SELECT after the right side saturated), left
 * - right for LE, the distance from the variable to the nearest value for IN, from a selector to the nearest
 * choice for SELECT, and 1 for an EXPRESSION and an IN without values.
 * @param evaluation of this system
 */
std::vector<double> violations_of(const ConstraintSystem& system, const Evaluation& evaluation);

}  // namespace kernelscape::space
