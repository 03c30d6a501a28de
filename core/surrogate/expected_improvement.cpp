#include "core/surrogate/expected_improvement.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kernelscape::surrogate {
namespace {

/// From here on the density of the standard normal distribution is 0 in double precision.
constexpr double last_density = 39;

/** Returns phi(z) - z (1 - Phi(z)) for z >= 0: the expected improvement at -z with deviation 1. */
double upper_tail(double z) {
  if (z > last_density) return 0;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  const double above = std::erfc(z / std::numbers::sqrt2) / 2;
  return std::max(0.0, density - z * above);
}

}  // namespace

double expected_improvement(double mean, double deviation, double best) {
  const double difference = mean - best;
  const double certain = std::max(0.0, difference);
  if (!(deviation > 0)) return certain;
  // phi(Z) + Z Phi(Z) = Z + (phi(Z) - Z (1 - Phi(Z))): adding the tail loses no precision beside a large Z.
  return certain + deviation * upper_tail(std::abs(difference) / deviation);
}

}  // namespace kernelscape::surrogate
