#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/space/constraint.h"

namespace kernelscape::space {

/** Returns a constraint as text: "threads = tile_f.2 * tile_y.2 * tile_x.2". */
std::string constraint_text(const Constraint& constraint, const std::vector<Variable>& variables);

/**
 * Describes a violated constraint: "threads per block: threads = 2048 is not <= 1024".
 * @param values of the variables
 */
std::string violation_text(const Constraint& violated, const std::vector<Variable>& variables,
                           const std::vector<std::int64_t>& values);

}  // namespace kernelscape::space
