#pragma once

#include <cstdint>

#include "core/trial/trial_table.h"

namespace kernelscape {

/** The samples of trials that an adaptive evaluator did not need. */
struct SavedSamples {
  std::int64_t samples = 0;
  double seconds = 0;      ///< what they would have taken, about
  std::int64_t taken = 0;  ///< samples that were needed
};

/** Where the wall time of a session went; every instant belongs to one phase (wall shares, not work seconds).
 */
struct TimeSplit {
  double session_seconds = 0;  ///< without pauses and interruptions
  double search_seconds = 0;
  double build_seconds = 0;
  double run_seconds = 0;   ///< checking included
  SavedSamples saved = {};  ///< no part of the session
  bool of_fleet = false;    ///< others build and run: the rest is waiting for one that is free

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
 * Adds those of one trial: each would have lasted as long as a sample must, or one call where that is longer.
 * @param min_repeat_seconds what every sample lasts at least: MeasureOptions::least_sample_seconds()
 * @param calls_per_sample of every sample; 0: as many as last so long, at least one
 */
void add_saved(SavedSamples& saved, const TrialRow& trial, double min_repeat_seconds,
               int calls_per_sample = 0);

/** Where clocks disagree so that the phases exceed the session, their sum counts as its time. */
TimeShares time_shares(const TimeSplit& split);

}  // namespace kernelscape
