#pragma once

#include <vector>

#include "core/space/constraint.h"

namespace kernelscape {

/**
 * How far a configuration is from satisfying each constraint: 0 where it holds, else more than 0 and finite.
 * |left - right| where a constraint says that two sides are equal (of PROD, SUM and SELECT after its right
 * side saturated); how far LE's left side is above the right one, IN's variable from the nearest value, a
 * selector from the nearest choice; 1 of an EXPRESSION, and of an IN without values.
 * @param evaluation of this system
 */
std::vector<double> violations_of(const ConstraintSystem& system, const Evaluation& evaluation);

}  // namespace kernelscape
