#include "core/analysis/trial_value.h"

#include <fmt/format.h>

#include "core/base/numbers.h"

namespace kernelscape::analysis {

TrialValue median_value(const Quartiles& samples) {
  return {samples.median, trial::ObjectiveKind::Median, samples};
}

TrialValue trial_value(const trial::Measurement& measurement) {
  const Quartiles samples = quartiles(measurement.samples_seconds);
  if (measurement.recorded_seconds <= 0) return median_value(samples);
  return {measurement.recorded_seconds,
          trial::objective_kind(measurement.recorded_seconds, measurement.samples_seconds), samples};
}

TrialValue trial_value(const trial::Row& row) {
  const Quartiles samples{row.sample_count,          row.first_quartile_seconds, row.first_quartile_seconds,
                          row.sample_median_seconds, row.third_quartile_seconds, row.third_quartile_seconds};
  return {row.median_seconds, row.objective, samples};
}

std::string objective_text(trial::ObjectiveKind kind) {
  switch (kind) {
    case trial::ObjectiveKind::Median:
      return {};
    case trial::ObjectiveKind::Recorded:
      return "objective of the file, as recorded";
    case trial::ObjectiveKind::Mean:
    case trial::ObjectiveKind::Minimum:
      break;
  }
  return fmt::format("objective of the file: {} of the samples", trial::to_string(kind));
}

std::string samples_text(const Quartiles& samples, std::string (*time_of)(double seconds)) {
  const auto text = [&](double seconds) {
    return time_of != nullptr ? time_of(seconds) : base::quantity_text(seconds, "s");
  };
  if (samples.count == 0) return {};
  if (samples.count == 1) return fmt::format("one sample: {}", text(samples.median));
  return fmt::format("samples: median {}, quartiles {} to {}", text(samples.median), text(samples.first),
                     text(samples.third));
}

}  // namespace kernelscape::analysis
