#pragma once

#include <functional>
#include <vector>

#include "core/base/random.h"
#include "core/space/search_space.h"

namespace kernelscape {

/** Redraws until a member results: `draw` at most 100 times, then a random member; none in an empty space. */
std::optional<Configuration> draw_member(const SearchSpace& space, Random& random,
                                         const std::function<Configuration(Random&)>& draw);

/** All members that differ in one knob by one move of its topology (OpEvo, section 3). */
std::vector<Configuration> neighbours(const SearchSpace& space, const Configuration& configuration);

}  // namespace kernelscape
