#pragma once

#include "core/base/result.h"
#include "core/space/search_space.h"

namespace kernelscape {

/**
 * Returns the error of a space of which no feasible configuration was found: it names the conditions that
 * contradict each other, or says that the constraint solver gave up and nothing is proven.
 */
Error no_feasible_configuration(const SearchSpace& space);

}  // namespace kernelscape
