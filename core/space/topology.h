#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/random.h"
#include "core/space/search_space.h"

namespace kernelscape {

/** Redraws until a member results: `draw` at most 100 times, then a random member; none in an empty space. */
std::optional<Configuration> draw_member(const SearchSpace& space, Random& random,
                                         const std::function<Configuration(Random&)>& draw);

/** All members that differ in one knob by one move of its topology (OpEvo, section 3). */
std::vector<Configuration> neighbours(const SearchSpace& space, const Configuration& configuration);

/** A neighbour of a knob's value, each with the same probability; the value itself where it has none. */
std::uint32_t random_neighbour(const Knob& knob, std::uint32_t index, Random& random);

/**
 * The same for the knob at `position` of a member, among the neighbours with which it stays a member; its
 * value where there is none.
 */
std::uint32_t random_member_neighbour(const SearchSpace& space, const Configuration& member,
                                      std::size_t position, Random& random);

/** The largest rate q of a walk, which then goes on for 99 steps on average. */
constexpr double most_walk_rate = 0.99;

/** Where a walk over a knob's values stopped. */
struct WalkEnd {
  std::uint32_t index = 0;
  std::int64_t steps = 0;  ///< none is counted where there was no neighbour to go to
};

/**
 * The q-random walk from a knob's value (OpEvo, section 4.3, equation 3): with probability q it goes on to a
 * random neighbour, else it stops. A value without neighbours keeps it. @param q in [0, most_walk_rate]
 */
WalkEnd q_random_walk(const Knob& knob, std::uint32_t index, double q, Random& random);

/** The same for the knob at `position` of a member, which stays a member at every step. */
WalkEnd q_random_member_walk(const SearchSpace& space, const Configuration& member, std::size_t position,
                             double q, Random& random);

}  // namespace kernelscape
