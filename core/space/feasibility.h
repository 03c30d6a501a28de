#pragma once

#include "core/base/result.h"
#include "core/space/search_space.h"

namespace kernelscape::space {

/**
 * Returns the error for a space in which no feasible configuration was found: it names the conditions that
 * contradict each other, or says that the constraint solver gave up, so that it is unknown whether there is
 * one.
 */
Error no_feasible_configuration(const SearchSpace& space);

}  // namespace kernelscape::space
