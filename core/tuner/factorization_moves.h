#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/space/search_space.h"
#include "core/tuner/visited.h"

namespace kernelscape::tuner {

// The view of a space that G-BFS and N-A2C (Zhang et al. 2019) have: states, and moves of a prime factor from
// one position of a factorization to another. A knob with one value, of any kind, never moves.

/**
 * Returns ok if all knobs with more than one value are factorizations; otherwise an error that names the
 * other knobs.
 */
Status require_factorizations(const space::SearchSpace& space, std::string_view tuner);

/**
 * Takes the first state of a search: the best trial of the history; otherwise the member that is the fewest
 * moves away from [C, 1, ..., 1] in every knob, if no constraint prevents it; otherwise a random member.
 * Returns nullopt in an empty space.
 */
std::optional<space::Configuration> take_start(const Context& context, Visited& visited);

struct FactorizationMove {
  std::size_t knob = 0;
  std::size_t from = 0;  ///< position of the factor that the prime leaves
  std::size_t to = 0;    ///< position that the prime moves to
  std::int64_t prime = 0;
};

/**
 * Returns every move of a space that is legal in some state: knob by knob, all ordered pairs of positions,
 * all distinct primes.
 */
std::vector<FactorizationMove> factorization_moves(const space::SearchSpace& space);

/**
 * Returns the configuration that a move leads to, which need not be a member; nullopt if the move is illegal
 * because the prime is no factor at that position or the knob has no such value.
 */
std::optional<space::Configuration> apply_move(const space::SearchSpace& space,
                                               const space::Configuration& from,
                                               const FactorizationMove& move);

/** Returns the factors of all knobs that move as shares of their product, minus 0.5: in [-0.5, 0.5]. */
std::vector<double> factor_shares(const space::SearchSpace& space, const space::Configuration& configuration);

}  // namespace kernelscape::tuner
