#include "core/tuner/log_improvement.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kernelscape::tuner {
namespace {

double standard_normal_below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

}  // namespace

double log_improvement(double mean, double deviation, double best) {
  if (!(deviation > 0)) return std::max(0.0, std::exp(best) - std::exp(mean));
  const double z = (best - mean) / deviation;
  const double expected = std::exp(mean + deviation * deviation / 2);
  return std::max(
      0.0, std::exp(best) * standard_normal_below(z) - expected * standard_normal_below(z - deviation));
}

}  // namespace kernelscape::tuner
