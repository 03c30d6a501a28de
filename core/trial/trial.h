#pragma once

#include <cstdint>

#include "core/space/configuration.h"
#include "core/trial/measurement.h"

namespace kernelscape::trial {

/** A candidate with its measurement. */
struct Trial {
  std::int64_t number = 0;    ///< 0-based in its session, in proposal order
  std::int32_t batch = 0;     ///< 0-based
  std::int32_t position = 0;  ///< position in its batch
  space::Configuration configuration;
  Measurement measurement;
  double finished_seconds = 0;  ///< session time at which its result was known (without pauses and down time)

  bool operator==(const Trial&) const = default;
};

/** The information about a trial that a tuner gets. */
struct Observation {
  space::Configuration configuration;
  double fitness = 0;  ///< GFLOP/s, or 1/seconds if no FLOP count is known; 0 for errors
  ErrorCategory category = ErrorCategory::NoError;
  double spread = 0;  ///< relative standard error of the time, see relative_standard_error; 0: not known

  bool operator==(const Observation&) const = default;
};

/** Returns the fitness of a valid trial. @param flops of the task; 0: unknown */
double fitness_of(double seconds, double flops);

/**
 * Returns the standard error of a median of samples relative to the median, estimated from their quartiles as
 * for a normal distribution, so that one slow sample has no effect. Returns 0 with fewer than two samples or
 * without a median.
 */
double relative_standard_error(double first_quartile, double median, double third_quartile,
                               std::int64_t samples);

/** Returns the observation of a trial. @param flops of the task; 0: unknown */
Observation observe_trial(const Trial& trial, double flops);

}  // namespace kernelscape::trial
