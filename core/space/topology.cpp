#include "core/space/topology.h"

namespace kernelscape {

std::optional<Configuration> draw_member(const SearchSpace& space, Random& random,
                                         const std::function<Configuration(Random&)>& draw) {
  constexpr int most_draws = 100;
  for (int i = 0; i < most_draws; ++i) {
    Configuration configuration = draw(random);
    if (space.contains(configuration)) return configuration;
  }
  return space.random_member(random);
}

std::vector<Configuration> neighbours(const SearchSpace& space, const Configuration& configuration) {
  std::vector<Configuration> found;
  Configuration moved = configuration;
  for (std::size_t knob = 0; knob < space.knobs().size(); ++knob) {
    for (const std::uint32_t index : space.knobs()[knob].neighbours(configuration.indices[knob])) {
      moved.indices[knob] = index;
      if (space.contains(moved)) found.push_back(moved);
    }
    moved.indices[knob] = configuration.indices[knob];
  }
  return found;
}

}  // namespace kernelscape
