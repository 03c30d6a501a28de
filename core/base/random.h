#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string_view>

#include "core/base/int128.h"

namespace kernelscape::base {

/**
 * The only source of randomness: the same seed gives the same numbers with every standard library.
 *
 * The engine is the standard's mt19937_64, whose output is specified; the standard's distributions are not,
 * so this class has its own. Each component uses its own fork, so that draws of one component do not affect
 * another.
 */
class Random {
 public:
  explicit Random(std::uint64_t seed);

  /** Returns 64 random bits, the engine's next output. */
  std::uint64_t bits() { return engine_(); }

  /** Returns a uniform number in [0, bound), without bias. `bound` > 0. */
  std::uint64_t below(std::uint64_t bound);
  /** As below(), for bounds of up to 128 bits; draws the same numbers if the bound fits into 64 bits. */
  uint128 below_wide(uint128 bound);

  /** Returns a uniform number in [0, 1) with 53 random bits. */
  double uniform();

  /** Returns true with this probability. */
  bool chance(double probability) { return uniform() < probability; }

  /** Returns a standard normal number (Marsaglia's polar method). */
  double normal();

  /**
   * Returns an index drawn in proportion to non-negative weights; uniform if all are zero. `weights` must not
   * be empty.
   */
  std::size_t weighted(std::span<const double> weights);

  /** Shuffles the items (Fisher-Yates). */
  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

  /** Returns an independent engine that depends only on the seed and the name, not on earlier draws. */
  Random fork(std::string_view name) const;

  std::uint64_t seed() const { return seed_; }  ///< as given to the constructor, or derived by fork()

 private:
  std::uint64_t seed_;
  std::mt19937_64 engine_;
};

/**
 * Returns the 64-bit FNV-1a hash of a text. It is stable across builds and machines; for seeds and
 * fingerprints, not for security.
 */
std::uint64_t stable_hash(std::string_view text, std::uint64_t start = 0xcbf29ce484222325ULL);

}  // namespace kernelscape::base
