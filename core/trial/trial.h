#pragma once

#include <cstdint>

#include "core/space/configuration.h"
#include "core/trial/measurement.h"

namespace kernelscape {

/** A candidate with its measurement. */
struct Trial {
  std::int64_t number = 0;    ///< 0-based in its session, in proposal order
  std::int32_t batch = 0;     ///< 0-based
  std::int32_t position = 0;  ///< in its batch
  Configuration configuration;
  Measurement measurement;
  double finished_seconds = 0;  ///< session time at which it was known (pauses and down time excluded)

  bool operator==(const Trial&) const = default;
};

/** What a tuner is told of a trial. */
struct Observation {
  Configuration configuration;
  double fitness = 0;  ///< GFLOP/s, or 1/seconds where no FLOP count is known; 0 for errors
  ErrorCategory category = ErrorCategory::NoError;
  double spread = 0;  ///< relative standard error of the time, see relative_standard_error; 0: not known

  bool operator==(const Observation&) const = default;
};

/** What a valid trial is worth to a tuner. @param flops of the task; 0: unknown */
double fitness_of(double seconds, double flops);

/**
 * Of a median of samples, over the median, from their quartiles as if they were normally distributed: one
 * slow sample does not count. 0 with fewer than two samples or without a median.
 */
double relative_standard_error(double first_quartile, double median, double third_quartile,
                               std::int64_t samples);

/** @param flops of the task; 0: unknown */
Observation observe_trial(const Trial& trial, double flops);

}  // namespace kernelscape
