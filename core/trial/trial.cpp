#include "core/trial/trial.h"

#include <algorithm>
#include <cmath>

#include "core/trial/observed_row.h"

namespace kernelscape::trial {

double fitness_of(double seconds, double flops) {
  constexpr double flops_per_gigaflop = 1e9;
  if (seconds <= 0) return 0;
  return flops > 0 ? flops / seconds / flops_per_gigaflop : 1 / seconds;
}

double relative_standard_error(double first_quartile, double median, double third_quartile,
                               std::int64_t samples) {
  constexpr std::int64_t max_samples = 65'535;  // maximum count in rows of trials
  // distance of the quartiles of a normal distribution, in standard deviations
  constexpr double quartiles_apart = 1.349;
  // ratio of the standard errors of median and mean, for many samples
  constexpr double median_over_mean = 1.2533;
  if (samples < 2 || median <= 0) return 0;
  const double deviation = (third_quartile - first_quartile) / quartiles_apart;
  const auto counted = static_cast<double>(std::min(samples, max_samples));
  return median_over_mean * deviation / std::sqrt(counted) / median;
}

Observation observe_trial(const Trial& trial, double flops) {
  return observe_row(make_row(trial, 0), trial.configuration, flops);
}

}  // namespace kernelscape::trial
