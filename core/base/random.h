#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string_view>

#include "core/base/int128.h"

namespace kernelscape {

/**
 * The only source of randomness: the same seed gives the same numbers with every standard library.
 *
 * The engine is the standard's mt19937_64, whose output is fixed; the distributions of the standard are
 * not, so ours stand here. A component takes a fork of its own, so that what one draws never shifts another.
 */
class Random {
 public:
  explicit Random(std::uint64_t seed);

  /** 64 random bits, the engine's next output. */
  std::uint64_t bits() { return engine_(); }

  /** Uniform in [0, bound), without bias. `bound` > 0. */
  std::uint64_t below(std::uint64_t bound);
  /** The same for bounds of up to 128 bits; draws as below() does where the bound fits into 64. */
  uint128 below_wide(uint128 bound);

  /** Uniform in [0, 1), 53 bits. */
  double uniform();

  /** True with this probability. */
  bool chance(double probability) { return uniform() < probability; }

  /** Standard normal (Marsaglia's polar method). */
  double normal();

  /** Index drawn in proportion to non-negative weights; uniform where all are zero. `weights` not empty. */
  std::size_t weighted(std::span<const double> weights);

  /** Fisher-Yates. */
  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

  /** An independent engine that depends on the seed and the name alone, not on what was drawn so far. */
  Random fork(std::string_view name) const;

  std::uint64_t seed() const { return seed_; }  ///< as given to the constructor, or derived by fork()

 private:
  std::uint64_t seed_;
  std::mt19937_64 engine_;
};

/** FNV-1a, 64 bits: stable over builds and machines, for seeds and fingerprints, not against attackers. */
std::uint64_t stable_hash(std::string_view text, std::uint64_t start = 0xcbf29ce484222325ULL);

}  // namespace kernelscape
