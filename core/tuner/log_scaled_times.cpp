#include "core/tuner/log_scaled_times.h"

#include <algorithm>
#include <cmath>

#include "core/base/quantile.h"

namespace kernelscape::tuner {
namespace {

/// SMAC3's scale_percentage.
constexpr double scaled_quantile = 0.05;

/// SMAC3's VERY_SMALL_NUMBER: keeps the logarithm of the fastest time finite.
constexpr double distance_to_low = 1e-10;

}  // namespace

std::vector<double> log_scaled_times(std::span<const trial::Observation> trials) {
  const double best = std::ranges::max(trials, {}, &trial::Observation::fitness).fitness;
  double slowest = 1;
  for (const trial::Observation& trial : trials)
    if (trial.fitness > 0) slowest = std::max(slowest, best / trial.fitness);
  std::vector<double> times;
  for (const trial::Observation& trial : trials)
    times.push_back(trial.fitness > 0 ? best / trial.fitness : slowest);
  const double low = 2 - base::quantile(times, scaled_quantile) - distance_to_low;
  for (double& time : times) time = std::log((time - low) / (slowest - low));
  return times;
}

}  // namespace kernelscape::tuner
