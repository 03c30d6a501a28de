#include "core/analysis/time_split.h"

#include <algorithm>

#include "core/trial/fields.h"

namespace kernelscape::analysis {
namespace {

constexpr double rounding_share = 1e-9;

}  // namespace

double TimeSplit::idle_seconds() const {
  const double rest = session_seconds - (search_seconds + build_seconds + run_seconds);
  // The rounding error of sums over many trials is not idle time.
  return rest > rounding_share * session_seconds ? rest : 0;
}

void add_saved(SavedSamples& saved, const trial::Row& trial, double min_repeat_seconds,
               int calls_per_sample) {
  saved.taken += trial.sample_count;
  const std::uint16_t samples = trial::measured_in<trial::Measured::SamplesSaved>(trial);
  saved.samples += samples;
  const double calls = std::max(1, calls_per_sample);
  saved.seconds += samples * std::max(min_repeat_seconds, calls * trial.median_seconds);
}

TimeShares time_shares(const TimeSplit& split) {
  const double total = split.search_seconds + split.build_seconds + split.run_seconds + split.idle_seconds();
  if (!(total > 0)) return {};
  return {split.search_seconds / total, split.build_seconds / total, split.run_seconds / total,
          split.idle_seconds() / total};
}

}  // namespace kernelscape::analysis
