#include "core/tuner/knob_cube.h"

#include <algorithm>

namespace kernelscape::tuner {

CubePoint cube_point(const space::SearchSpace& space, const space::Configuration& configuration) {
  CubePoint point;
  point.reserve(configuration.indices.size());
  for (std::size_t knob = 0; knob < configuration.indices.size(); ++knob)
    point.push_back((configuration.indices[knob] + 0.5) / space.knobs()[knob].count());
  return point;
}

space::Configuration configuration_at(const space::SearchSpace& space, const CubePoint& point) {
  space::Configuration configuration;
  configuration.indices.reserve(point.size());
  for (std::size_t knob = 0; knob < point.size(); ++knob) {
    const std::uint32_t count = space.knobs()[knob].count();
    const double inside = std::clamp(point[knob], 0.0, 1.0);
    configuration.indices.push_back(std::min(count - 1, static_cast<std::uint32_t>(inside * count)));
  }
  return configuration;
}

}  // namespace kernelscape::tuner
