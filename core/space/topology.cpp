#include "core/space/topology.h"

#include <utility>

namespace kernelscape::space {
namespace {

/**
 * Performs a random walk.
 * @param step returns the next value, or the same value if the walk cannot continue
 */
template <typename Step>
WalkEnd walk(std::uint32_t index, double q, base::Random& random, const Step& step) {
  WalkEnd end{index, 0};
  while (random.chance(q)) {
    const std::uint32_t next = step(end.index);
    if (next == end.index) break;
    end = {next, end.steps + 1};
  }
  return end;
}

}  // namespace

std::optional<Configuration> draw_member(const SearchSpace& space, base::Random& random,
                                         const std::function<Configuration(base::Random&)>& draw) {
  constexpr int max_draws = 100;
  for (int i = 0; i < max_draws; ++i) {
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

std::uint32_t random_neighbour(const Knob& knob, std::uint32_t index, base::Random& random) {
  if (knob.kind() == KnobKind::Categorical) {
    // All others, without a list of them.
    if (knob.count() < 2) return index;
    const auto other = static_cast<std::uint32_t>(random.below(knob.count() - 1));
    return other < index ? other : other + 1;
  }
  const std::vector<std::uint32_t> neighbours = knob.neighbours(index);
  return neighbours.empty() ? index : neighbours[random.below(neighbours.size())];
}

std::uint32_t random_member_neighbour(const SearchSpace& space, const Configuration& member,
                                      std::size_t position, base::Random& random) {
  const Knob& knob = space.knobs()[position];
  const std::uint32_t index = member.indices[position];
  if (!space.has_restrictions()) return random_neighbour(knob, index, random);
  // The first member in a random order: uniform, without checking all neighbours.
  std::vector<std::uint32_t> untried = knob.neighbours(index);
  Configuration moved = member;
  while (!untried.empty()) {
    std::swap(untried[random.below(untried.size())], untried.back());
    moved.indices[position] = untried.back();
    if (space.contains(moved)) return untried.back();
    untried.pop_back();
  }
  return index;
}

WalkEnd q_random_walk(const Knob& knob, std::uint32_t index, double q, base::Random& random) {
  return walk(index, q, random, [&](std::uint32_t from) { return random_neighbour(knob, from, random); });
}

WalkEnd q_random_member_walk(const SearchSpace& space, const Configuration& member, std::size_t position,
                             double q, base::Random& random) {
  Configuration moved = member;
  return walk(member.indices[position], q, random, [&](std::uint32_t from) {
    moved.indices[position] = from;
    return random_member_neighbour(space, moved, position, random);
  });
}

}  // namespace kernelscape::space
