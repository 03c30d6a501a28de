#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/order_statistics.h"
#include "core/exchange/validation.h"
#include "core/exchange/validation_values.h"
#include "core/trial/recording_builder.h"

namespace kernelscape::exchange {
namespace {

/** Relative tolerance of recomputed quartiles: another compiler may have computed the file's. */
constexpr double quartile_rounding = 1e-9;

bool nearly_equal(double stored, double counted) {
  return std::fabs(stored - counted) <= quartile_rounding * counted;
}

/** Returns true if a row's columns agree with its samples. */
bool fits_samples(const trial::Recording& recording, std::uint32_t row) {
  const trial::Row stored = recording.trial_row(row, 0);
  const std::span<const double> samples = recording.samples(row);
  // A kernel that was only built, or a value without samples.
  if (samples.empty()) return stored.first_quartile_seconds == 0 && stored.third_quartile_seconds == 0;
  const analysis::Quartiles counted = analysis::quartiles(samples);
  return nearly_equal(stored.first_quartile_seconds, counted.first) &&
         nearly_equal(stored.third_quartile_seconds, counted.third) &&
         (recording.has_own_objective(row) || nearly_equal(stored.median_seconds, counted.median));
}

Status check_recorded_row(const trial::Recording& recording, std::uint32_t row, double flops) {
  const auto refuse = [row](std::string_view member, std::string_view why) {
    return refused_value(fmt::format("row {}, {}", row, member), why,
                         "measure the space again, or export it again from the original database");
  };
  if (const auto wrong = impossible_sample(recording.samples(row), flops))
    return refuse(wrong->member, wrong->reason);
  const double seconds = recording.seconds(row);
  if (const std::string why = seconds == 0 ? std::string() : impossible_call(seconds, flops); !why.empty())
    return refuse("seconds", why);
  if (!fits_samples(recording, row)) return refuse("seconds", "they do not match its samples");
  if (const std::string why = impossible_duration(recording.build_seconds(row)); !why.empty())
    return refuse("build_seconds", why);
  if (const std::string why = impossible_duration(recording.run_seconds(row)); !why.empty())
    return refuse("run_seconds", why);
  return {};
}

Status check_recorded_rows(const trial::Recording& recording, double flops) {
  double work_seconds = 0;
  for (std::uint32_t row = 0; row < recording.size(); ++row) {
    TRY(check_recorded_row(recording, row, flops));
    work_seconds += recording.build_seconds(row) + recording.run_seconds(row);
  }
  if (const std::string why = impossible_duration(work_seconds); !why.empty())
    return refused_value("the sum of its rows' times", why);
  if (const std::string why = impossible_columns(recording.columns()); !why.empty())
    return refused_value("the metrics beside the time", why);
  for (const trial::RecordedColumn& column : recording.columns()) {
    if (std::ranges::any_of(column.values, [](double value) { return std::isinf(value); }))
      return refused_value(column.name, "one of its values is not finite");
  }
  return {};
}

/** Returns the same rows with another header and clean messages. */
Result<std::shared_ptr<const trial::Recording>> with_clean_texts(const trial::Recording& recording,
                                                                 const trial::RecordingHeader& header) {
  trial::RecordingBuilder builder(header, recording.whole_space());
  for (std::uint32_t row = 0; row < recording.size(); ++row) {
    const space::Configuration configuration = recording.configuration(row);
    trial::Measurement measurement = recording.measurement(row);
    measurement.message = cleaned_text(measurement.message, message_limits);
    measurement.build_log = cleaned_text(measurement.build_log, message_limits);
    TRY(builder.add(configuration, measurement));
    for (const trial::RecordedColumn& column : recording.columns())
      if (!std::isnan(column.values[row]))
        builder.set_column(column.name, configuration, column.values[row], column.unit);
  }
  return builder.build();
}

Result<ValidatedRecording> through_gate(std::shared_ptr<const trial::Recording> recording) {
  ValidationNotices notices;
  ValidatedHeader read = TRY(validated_header(recording->header(), recording->whole_space(), notices));
  TRY(check_recorded_rows(*recording, read.task.flops()));
  for (std::string text : recording->messages()) notices.clean(text, message_limits, "messages");
  ValidatedRecording passed{std::move(recording), std::move(read.header), notices.texts()};
  if (notices.changed_texts()) passed.recording = TRY(with_clean_texts(*passed.recording, passed.header));
  return passed;
}

}  // namespace

Result<ValidatedRecording> validated(std::shared_ptr<const trial::Recording> recording,
                                     std::string_view name) {
  Result<ValidatedRecording> passed = through_gate(std::move(recording));
  if (passed) return passed;
  return fail(passed.error().code, fmt::format("{}: {}", name, passed.error().message), passed.error().hint);
}

Result<ValidatedRecording> open_recording(const std::filesystem::path& path) {
  std::shared_ptr<const trial::Recording> recording = TRY(trial::Recording::open(path));
  return validated(std::move(recording), path.string());
}

}  // namespace kernelscape::exchange
