#include "core/base/random.h"

#include <cmath>

namespace kernelscape::base {
namespace {

/** splitmix64's finalizer: spreads neighbouring seeds over the whole range. */
std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed) : seed_(seed), engine_(mix(seed)) {}

std::uint64_t Random::below(std::uint64_t bound) {
  // Values below the threshold would favour small results: draw again. It is less than bound, and a division.
  for (;;) {
    const std::uint64_t value = bits();
    if (value >= bound || value >= (0 - bound) % bound) return value % bound;
  }
}

uint128 Random::below_wide(uint128 bound) {
  if (bound <= ~std::uint64_t{0}) return below(static_cast<std::uint64_t>(bound));
  const uint128 threshold = (uint128{0} - bound) % bound;
  for (;;) {
    const std::uint64_t high = bits();
    const uint128 value = (static_cast<uint128>(high) << 64) | bits();
    if (value >= threshold) return value % bound;
  }
}

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

double Random::normal() {
  for (;;) {
    const double u = 2 * uniform() - 1;
    const double v = 2 * uniform() - 1;
    const double s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * std::log(s) / s);
  }
}

std::size_t Random::weighted(std::span<const double> weights) {
  double total = 0;
  for (const double weight : weights) total += weight;
  if (!(total > 0)) return below(weights.size());
  double remaining = uniform() * total;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    last = i;
    if (remaining < weights[i]) return i;
    remaining -= weights[i];
  }
  return last;
}

Random Random::fork(std::string_view name) const { return Random(mix(stable_hash(name, mix(seed_)))); }

std::uint64_t stable_hash(std::string_view text, std::uint64_t start) {
  std::uint64_t hash = start;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace kernelscape::base
