#include "core/trial/trial.h"

namespace kernelscape {

double fitness_of(double seconds, double flops) {
  constexpr double flops_per_gigaflop = 1e9;
  if (seconds <= 0) return 0;
  return flops > 0 ? flops / seconds / flops_per_gigaflop : 1 / seconds;
}

Observation observe_trial(const Trial& trial, double flops) {
  Observation observation{trial.configuration, 0, trial.measurement.category};
  if (trial.measurement.valid()) observation.fitness = fitness_of(trial.measurement.ranking_seconds(), flops);
  return observation;
}

}  // namespace kernelscape
