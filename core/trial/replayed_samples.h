#pragma once

#include <cstdint>
#include <span>

#include "core/trial/measure_options.h"
#include "core/trial/measurement.h"
#include "core/trial/trial_table.h"

namespace kernelscape {

/** In the row number of a stored replay's trial: it was given up after its first sample. */
inline constexpr std::uint32_t replayed_cut_short = std::uint32_t{1} << 31;

/** What a replay takes of a recorded trial's samples: the first ones. */
struct ReplayedSamples {
  std::size_t taken = 0;
  bool cut_short = false;      ///< given up: the first was far slower than the best
  std::uint32_t saved = 0;     ///< that the adaptive evaluator did not need
  double seconds_not_run = 0;  ///< of all recorded samples that are not taken

  bool operator==(const ReplayedSamples&) const = default;
};

/**
 * How many of a recorded trial's samples a replay takes, by the rules by which kernels are timed: at most
 * `repeats` of them, one where it is over give_up_factor x `best_seconds` (0: no best yet), and none after
 * the AdaptiveEvaluator has seen enough. A sample that is not taken saves its seconds per call times its
 * calls: calls_per_sample, or as many as fill min_repeat_seconds at the trial's whole median.
 * @param samples seconds per call, all that were recorded
 * @param options the recording's, with the replay's own repeats, give-up factor and evaluator
 */
ReplayedSamples replayed_samples(std::span<const double> samples, const MeasureOptions& options,
                                 double best_seconds);

/** The same of a trial that is known to have been given up after its first sample. */
ReplayedSamples given_up_samples(std::span<const double> samples, const MeasureOptions& options);

/** The row as the replay saw it: median, quartiles and seconds of its run. Errors stay as they are. */
void take_samples(TrialRow& row, std::span<const double> samples, const ReplayedSamples& taken);
/** The measurement as the replay saw it. Errors stay as they are. */
void take_samples(Measurement& measurement, const ReplayedSamples& taken);

}  // namespace kernelscape
