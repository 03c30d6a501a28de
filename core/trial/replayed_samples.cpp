#include "core/trial/replayed_samples.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/quantile.h"
#include "core/trial/adaptive_evaluator.h"
#include "core/trial/field_table.h"

namespace kernelscape::trial {
namespace {

/** Returns the number of calls of each sample of a trial, as the timing procedure chose it. */
double calls_of_a_sample(std::span<const double> samples, const MeasureOptions& options) {
  if (options.calls_per_sample > 0) return options.calls_per_sample;
  if (options.min_sample_seconds() <= 0) return 1;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  const double median = base::sorted_quantile(sorted, 0.5);
  return median > 0 ? std::max(1.0, std::ceil(options.min_sample_seconds() / median)) : 1;
}

double seconds_after(std::span<const double> samples, std::size_t taken, const MeasureOptions& options) {
  if (taken >= samples.size()) return 0;
  double seconds = 0;
  for (const double sample : samples.subspan(taken)) seconds += sample;
  return seconds * calls_of_a_sample(samples, options);
}

}  // namespace

ReplayedSamples replayed_samples(std::span<const double> samples, const MeasureOptions& options,
                                 double best_seconds) {
  const std::size_t most = std::min(samples.size(), static_cast<std::size_t>(options.repeats));
  const double limit = options.give_up_factor * best_seconds;
  if (most > 0 && limit > 0 && samples.front() > limit) return given_up_samples(samples, options);
  ReplayedSamples replayed;
  AdaptiveEvaluator evaluator(options);
  while (replayed.taken < most) {
    if (evaluator.ends_after(samples[replayed.taken++])) break;
  }
  replayed.saved = static_cast<std::uint32_t>(most - replayed.taken);
  replayed.seconds_not_run = seconds_after(samples, replayed.taken, options);
  return replayed;
}

ReplayedSamples given_up_samples(std::span<const double> samples, const MeasureOptions& options) {
  return {.taken = std::min<std::size_t>(samples.size(), 1),
          .cut_short = true,
          .saved = 0,
          .seconds_not_run = seconds_after(samples, 1, options)};
}

void take_samples(Row& row, std::span<const double> samples, const ReplayedSamples& taken) {
  if (row.category != ErrorCategory::NoError || taken.taken == 0) return;
  const std::span<const double> first = samples.first(taken.taken);
  set_samples(row, {first.begin(), first.end()});
  row.cut_short = taken.cut_short;
  row.samples_saved = clamped<std::uint16_t>(taken.saved);
  row.run_seconds = std::max(0.0, row.run_seconds - taken.seconds_not_run);
}

void take_samples(Measurement& measurement, const ReplayedSamples& taken) {
  if (!measurement.valid() || taken.taken == 0) return;
  measurement.samples_seconds.resize(taken.taken);
  measurement.cut_short = taken.cut_short;
  measurement.samples_saved = taken.saved;
  measurement.run_seconds = std::max(0.0, measurement.run_seconds - taken.seconds_not_run);
}

}  // namespace kernelscape::trial
