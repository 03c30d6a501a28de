#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/space/search_space.h"
#include "core/tuner/visited.h"

namespace kernelscape {

// What G-BFS and N-A2C (Zhang et al. 2019) see of a space: states, and moves of a prime factor from one
// position of a factorization to another. A knob of one value, of whatever kind, never moves.

/** Ok if all knobs that have more than one value are factorizations; else an error that names the others. */
Status require_factorizations(const SearchSpace& space, std::string_view tuner);

/**
 * The first state of a search: the best of the history; else the member that the fewest moves part from
 * [C, 1, ..., 1] in every knob, if no constraint is in the way; else a random member. None in an empty space.
 */
std::optional<Configuration> take_start(const TunerContext& context, Visited& visited);

struct FactorizationMove {
  std::size_t knob = 0;
  std::size_t from = 0;  ///< position of the factor that the prime leaves
  std::size_t to = 0;    ///< position that it goes to
  std::int64_t prime = 0;
};

/** Every move of a space, legal in some states: knob by knob, all ordered pairs of positions, all distinct
 * primes. */
std::vector<FactorizationMove> factorization_moves(const SearchSpace& space);

/** Where a move leads, a member or not; none where it is illegal: the prime is no factor there, or the knob
 * has no such value. */
std::optional<Configuration> apply_move(const SearchSpace& space, const Configuration& from,
                                        const FactorizationMove& move);

/** Factors as shares of their product, less a half, of all knobs that move: in [-0.5, 0.5]. */
std::vector<double> factor_shares(const SearchSpace& space, const Configuration& configuration);

}  // namespace kernelscape
