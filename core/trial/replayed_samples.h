#pragma once

#include <cstdint>
#include <span>

#include "core/trial/measure_options.h"
#include "core/trial/measurement.h"
#include "core/trial/table.h"

namespace kernelscape::trial {

/** Flag in the row number of a stored replay's trial: the trial was ended after its first sample. */
inline constexpr std::uint32_t replayed_cut_short = std::uint32_t{1} << 31;

/** The first samples of a recorded trial, which a replay uses. */
struct ReplayedSamples {
  std::size_t taken = 0;
  bool cut_short = false;      ///< ended: the first sample was far slower than the best
  std::uint32_t saved = 0;     ///< samples that the adaptive evaluator did not need
  double seconds_not_run = 0;  ///< time of all recorded samples that are not used

  bool operator==(const ReplayedSamples&) const = default;
};

/**
 * Returns how many of a recorded trial's samples a replay uses, by the rules with which kernels are timed: at
 * most `repeats`, one if it exceeds give_up_factor x `best_seconds` (0: no best yet), and none after the
 * AdaptiveEvaluator ends the trial. An unused sample saves its seconds per call times its calls:
 * calls_per_sample, or as many as fill min_repeat_seconds at the median of all samples.
 * @param samples seconds per call, all that were recorded
 * @param options the recording's options, with the replay's own repeats, give-up factor and evaluator
 */
ReplayedSamples replayed_samples(std::span<const double> samples, const MeasureOptions& options,
                                 double best_seconds);

/** Returns the samples of a trial that is known to have been ended after its first sample. */
ReplayedSamples given_up_samples(std::span<const double> samples, const MeasureOptions& options);

/** Changes a row to what the replay saw: median, quartiles and time of its run. Errors stay unchanged. */
void take_samples(Row& row, std::span<const double> samples, const ReplayedSamples& taken);
/** Changes a measurement to what the replay saw. Errors stay unchanged. */
void take_samples(Measurement& measurement, const ReplayedSamples& taken);

}  // namespace kernelscape::trial
