#pragma once

#include <vector>

#include "core/space/search_space.h"

namespace kernelscape::tuner {

/** A point of the unit cube that has a dimension for each knob of a space. */
using CubePoint = std::vector<double>;

/**
 * Returns the point of a configuration. The values of a knob, in the order of their indices, divide [0, 1]
 * into parts of the same length, of which it is the middle.
 */
CubePoint cube_point(const space::SearchSpace& space, const space::Configuration& configuration);

/**
 * Returns the configuration in whose part of the cube a point lies, a member or not: the inverse of
 * cube_point(). Coordinates outside of [0, 1] are moved to the nearest end.
 */
space::Configuration configuration_at(const space::SearchSpace& space, const CubePoint& point);

}  // namespace kernelscape::tuner
