#include "core/trial/observed_row.h"

#include <cmath>
#include <utility>

namespace kernelscape::trial {

Observation observe_row(const Row& row, space::Configuration configuration, double flops) {
  Observation observation{std::move(configuration), 0, row.category};
  if (row.category != ErrorCategory::NoError) return observation;
  observation.fitness = fitness_of(row.median_seconds * row.machine.correction, flops);
  observation.spread = relative_standard_error(row.first_quartile_seconds, row.median_seconds,
                                               row.third_quartile_seconds, row.sample_count);
  if (row.machine.slow_phase)
    observation.spread = std::hypot(observation.spread, row.machine.correction_error);
  return observation;
}

}  // namespace kernelscape::trial
