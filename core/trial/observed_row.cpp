#include "core/trial/observed_row.h"

#include <utility>

namespace kernelscape {

Observation observe_row(const TrialRow& row, Configuration configuration, double flops) {
  Observation observation{std::move(configuration), 0, row.category};
  if (row.category != ErrorCategory::NoError) return observation;
  observation.fitness = fitness_of(row.median_seconds, flops);
  observation.spread = relative_standard_error(row.first_quartile_seconds, row.median_seconds,
                                               row.third_quartile_seconds, row.sample_count);
  return observation;
}

}  // namespace kernelscape
