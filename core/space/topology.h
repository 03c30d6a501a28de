#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/random.h"
#include "core/space/search_space.h"

namespace kernelscape::space {

/**
 * Calls `draw` at most 100 times until it returns a member, then falls back to a random member. Returns
 * nullopt in an empty space.
 */
std::optional<Configuration> draw_member(const SearchSpace& space, base::Random& random,
                                         const std::function<Configuration(base::Random&)>& draw);

/** Returns all members that differ in one knob by one move of its topology (OpEvo, section 3). */
std::vector<Configuration> neighbours(const SearchSpace& space, const Configuration& configuration);

/**
 * Returns a neighbour of a knob's value, each with the same probability; the value itself if it has no
 * neighbour.
 */
std::uint32_t random_neighbour(const Knob& knob, std::uint32_t index, base::Random& random);

/**
 * Returns a random neighbour of the value of the knob at `position` of a member, among those with which it
 * stays a member; the value itself if there is none.
 */
std::uint32_t random_member_neighbour(const SearchSpace& space, const Configuration& member,
                                      std::size_t position, base::Random& random);

/** The largest rate q of a walk, which then continues for 99 steps on average. */
constexpr double max_walk_rate = 0.99;

/** Where a walk over a knob's values stopped. */
struct WalkEnd {
  std::uint32_t index = 0;
  std::int64_t steps = 0;  ///< not counting steps without a neighbour to move to
};

/**
 * Performs the q-random walk from a knob's value (OpEvo, section 4.3, equation 3): with probability q it
 * continues to a random neighbour, else it stops. It stays at a value without neighbours.
 * @param q in [0, max_walk_rate]
 */
WalkEnd q_random_walk(const Knob& knob, std::uint32_t index, double q, base::Random& random);

/** Performs the q-random walk for the knob at `position` of a member, which stays a member at every step. */
WalkEnd q_random_member_walk(const SearchSpace& space, const Configuration& member, std::size_t position,
                             double q, base::Random& random);

}  // namespace kernelscape::space
