#include "core/trial/trial.h"

namespace kernelscape {

Observation observe_trial(const Trial& trial, double flops) {
  constexpr double flops_per_gigaflop = 1e9;
  Observation observation{trial.configuration, 0, trial.measurement.category};
  const double median = trial.measurement.median_seconds();
  if (!trial.measurement.valid() || median <= 0) return observation;
  observation.fitness = flops > 0 ? flops / median / flops_per_gigaflop : 1 / median;
  return observation;
}

}  // namespace kernelscape
