#pragma once

#include <cstdint>

#include "core/trial/table.h"

namespace kernelscape::analysis {

/** The samples of trials that an adaptive evaluator did not need. */
struct SavedSamples {
  std::int64_t samples = 0;
  double seconds = 0;      ///< approximate time that they would have taken
  std::int64_t taken = 0;  ///< samples that were taken
};

/**
 * The time breakdown of a session: every instant of its wall time belongs to one phase. This is wall time,
 * not build and run time summed over workers.
 */
struct TimeSplit {
  double session_seconds = 0;  ///< without pauses and interruptions
  double search_seconds = 0;
  double build_seconds = 0;
  double run_seconds = 0;   ///< including checks
  SavedSamples saved = {};  ///< not part of the session's time
  bool of_fleet = false;    ///< workers of a fleet build and run: the rest is waiting for a free worker

  double idle_seconds() const;  ///< the rest; never negative
};

/** Fractions of the session's wall time that sum to 1, or all zero for a session without time. */
struct TimeShares {
  double search = 0;
  double build = 0;
  double run = 0;
  double idle = 0;
};

/**
 * Adds the saved samples of one trial. Each would have taken the minimum time of a sample, or one call if
 * that is longer.
 * @param min_repeat_seconds minimum time of every sample: MeasureOptions::min_sample_seconds()
 * @param calls_per_sample of every sample; 0: as many as reach the minimum time, at least one
 */
void add_saved(SavedSamples& saved, const trial::Row& trial, double min_repeat_seconds,
               int calls_per_sample = 0);

/**
 * Returns the shares of the phases. If the phases exceed the session because clocks differ, the sum of the
 * phases counts as its time.
 */
TimeShares time_shares(const TimeSplit& split);

}  // namespace kernelscape::analysis
