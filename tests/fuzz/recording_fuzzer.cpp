#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/exchange/validation.h"
#include "core/schedule/target.h"
#include "core/task/task.h"
#include "core/trial/baselines.h"
#include "core/trial/measure_options.h"
#include "core/trial/recording.h"
#include "tests/base/media_readers.h"
#include "tests/exchange/forged_recording.h"

using namespace kernelscape;

namespace {

constexpr double min_call_seconds = 1e-10;
constexpr double max_seconds = 315'576'000;
constexpr std::size_t max_name_bytes = 1 << 10;
constexpr std::size_t max_text_bytes = 4 << 10;

void must(bool holds) {
  if (!holds) std::abort();
}

template <typename T>
T value_of(Result<T> result) {
  must(result.has_value());
  return *std::move(result);
}

bool names_the_file(const Error& error) { return error.message.contains("fuzzed") && !error.hint.empty(); }

/** UTF-8 without control characters, but line feeds and tabs where they are allowed. */
bool is_clean(std::string_view text, std::size_t max_bytes, std::u32string_view allowed = {}) {
  const std::optional<std::u32string> characters = base_tests::code_points(text);
  return text.size() <= max_bytes && characters && std::ranges::none_of(*characters, [&](char32_t code) {
           return (code < 0x20 || (code >= 0x7F && code < 0xA0)) && !allowed.contains(code);
         });
}

/** What the header's texts are read with finds them as it would have written them. */
void check_header(const trial::RecordingHeader& header) {
  for (const std::string* name :
       {&header.name, &header.program_version, &header.target_name, &header.template_name})
    must(is_clean(*name, max_name_bytes));
  must(is_clean(header.origin, max_text_bytes) && header.template_version >= 0 && header.builders >= 1);
  must(task::task_to_json(value_of(task::task_from_json(header.task_json))) == header.task_json);
  const schedule::TargetDescription target = value_of(schedule::target_from_json(header.target_json));
  must(schedule::target_to_json(target) == header.target_json && target.name == header.target_name);
  if (!header.options_json.empty()) {
    const trial::MeasureOptions options = value_of(trial::stored_measure_options(header.options_json));
    must(trial::measure_options_to_json(options) == header.options_json);
  }
  if (header.vendor_json.empty()) return;
  const trial::Baselines baselines = value_of(trial::baselines_from_json(header.vendor_json));
  must(trial::baselines_to_json(baselines) == header.vendor_json);
}

void check_text(const trial::Recording& recording, std::optional<std::uint32_t> text,
                const std::string& expected) {
  must(!text || *text < recording.messages().size());
  must((text ? recording.messages()[*text] : std::string()) == expected);
  must(is_clean(expected, max_text_bytes, U"\n\t"));
}

void check_row(const trial::Recording& recording, std::uint32_t row) {
  must(row == 0 || recording.index(row - 1) < recording.index(row));
  const space::Configuration configuration = recording.configuration(row);
  must(recording.space().contains(configuration) && recording.whole_space().contains(configuration));
  must(recording.whole_space().index_of(configuration) == recording.index(row));
  must(recording.find(configuration) == row);

  const trial::Measurement measurement = recording.measurement(row);
  must(measurement.category == recording.category(row));
  must(std::ranges::equal(measurement.samples_seconds, recording.samples(row)));
  for (const double sample : measurement.samples_seconds)
    must(sample >= min_call_seconds && sample <= max_seconds);
  const double seconds = recording.seconds(row);
  must(measurement.valid() || (measurement.samples_seconds.empty() && seconds == 0));
  must(seconds == 0 || (seconds >= min_call_seconds && seconds <= max_seconds));
  must(std::fabs(measurement.ranking_seconds() - seconds) <= 2e-9 * seconds);
  must(measurement.build_seconds >= 0 && measurement.run_seconds >= 0);
  check_text(recording, recording.message(row), measurement.message);
  check_text(recording, recording.build_log(row), measurement.build_log);
  must(!measurement.resources || (recording.has_resources() && measurement.resources->plausible()));

  constexpr std::int64_t first_message = 7;
  const trial::Row in_table = recording.trial_row(row, first_message);
  must(in_table.category == measurement.category && in_table.median_seconds == seconds);
  const std::optional<std::uint32_t> message = recording.message(row);
  must(in_table.message == (message ? first_message + *message : 0));
}

void check_rows(const trial::Recording& recording) {
  double work_seconds = 0;
  std::optional<std::uint32_t> best;
  for (std::uint32_t row = 0; row < recording.size(); ++row) {
    check_row(recording, row);
    work_seconds += recording.build_seconds(row) + recording.run_seconds(row);
    const double seconds = recording.seconds(row);
    if (seconds > 0 && (!best || seconds < recording.seconds(*best))) best = row;
  }
  must(work_seconds <= max_seconds && recording.best() == best);
  must(trial::recorded_finished_seconds(recording).size() == recording.size());
  for (const trial::RecordedColumn& column : recording.columns()) {
    must(!column.name.empty() && is_clean(column.name, max_name_bytes));
    must(column.values.size() == recording.size());
    must(std::ranges::none_of(column.values, [](double value) { return std::isinf(value); }));
  }
}

/** What passed once passes as it is. */
void check_again(const exchange::ValidatedRecording& passed) {
  const std::shared_ptr<const trial::Recording> read =
      value_of(trial::Recording::from_bytes(std::string(passed.recording->bytes()), "fuzzed"));
  must(read->hash() == passed.recording->hash());
  const exchange::ValidatedRecording again = value_of(exchange::validated(read, "fuzzed"));
  must(again.recording == read && again.header == passed.header);
}

}  // namespace

/** A recorded space's file whose checksum is right, whatever else it says, gives rows that can be relied on,
 * or an error that names it. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file(reinterpret_cast<const char*>(data), size);
  const auto recording = trial::Recording::from_bytes(exchange_tests::with_right_checksum(file), "fuzzed");
  if (!recording) {
    must(names_the_file(recording.error()));
    return 0;
  }
  const auto passed = exchange::validated(*recording, "fuzzed");
  if (!passed) {
    must(names_the_file(passed.error()));
    return 0;
  }
  must(passed->recording->size() == (*recording)->size());
  check_header(passed->header);
  check_rows(*passed->recording);
  check_again(*passed);
  return 0;
}
