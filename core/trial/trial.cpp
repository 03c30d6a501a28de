#include "core/trial/trial.h"

#include <algorithm>
#include <cmath>

namespace kernelscape {

double fitness_of(double seconds, double flops) {
  constexpr double flops_per_gigaflop = 1e9;
  if (seconds <= 0) return 0;
  return flops > 0 ? flops / seconds / flops_per_gigaflop : 1 / seconds;
}

double relative_standard_error(double first_quartile, double median, double third_quartile,
                               std::int64_t samples) {
  constexpr std::int64_t most_samples = 65'535;  // as rows of trials count them
  constexpr double quartiles_apart = 1.349;      // of a normal distribution, in standard deviations
  constexpr double median_over_mean = 1.2533;    // their standard errors, of many samples
  if (samples < 2 || median <= 0) return 0;
  const double deviation = (third_quartile - first_quartile) / quartiles_apart;
  const auto counted = static_cast<double>(std::min(samples, most_samples));
  return median_over_mean * deviation / std::sqrt(counted) / median;
}

Observation observe_trial(const Trial& trial, double flops) {
  const Measurement& measurement = trial.measurement;
  Observation observation{trial.configuration, 0, measurement.category};
  if (!measurement.valid()) return observation;
  const double median = measurement.ranking_seconds();
  observation.fitness = fitness_of(median, flops);
  std::vector<double> samples = measurement.samples_seconds;
  std::ranges::sort(samples);
  observation.spread = relative_standard_error(sorted_quantile(samples, 0.25), median,
                                               sorted_quantile(samples, 0.75), std::ssize(samples));
  return observation;
}

}  // namespace kernelscape
