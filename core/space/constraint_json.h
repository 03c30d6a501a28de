#pragma once

#include "core/space/constraint.h"
#include "core/space/knob_json.h"

namespace kernelscape::space {

/** Returns variables and constraints by position, as `constraints_from_json` reads them. */
Json to_json(const ConstraintSystem& constraints);

/** Reads a constraint system. Errors: anything that is not a valid system, including hostile input. */
Result<ConstraintSystem> constraints_from_json(const Json& json);

}  // namespace kernelscape::space
