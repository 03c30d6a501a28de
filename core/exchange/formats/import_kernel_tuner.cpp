// Imports caches of Kernel Tuner: an object with a header and a "cache" of results, which is closed when
// tuning ends.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/formats/logged_results.h"
#include "core/exchange/formats/logged_units.h"
#include "core/exchange/formats/own_session_reader.h"
#include "core/exchange/formats/session_key.h"
#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/exchange/skipped_entries.h"
#include "core/space/knob_json.h"
#include "core/task/task.h"
#include "core/trial/measure_options.h"

namespace kernelscape::exchange {
namespace {

constexpr double time_of_errors = 1e20;

std::unexpected<Error> bad_cache(std::string message,
                                 std::string hint = "Kernel Tuner writes it with cache=FILE") {
  return fail(ErrorCode::InvalidArgument, std::move(message), std::move(hint));
}

/** Returns a value in keys as Python's str() writes it. */
std::string python_text(const space::Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  return space::to_text(value);
}

/** Returns true for the same number in any notation, or the same text. */
bool same_value(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto number = [](std::string_view text) {
    double value = std::nan("");
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : std::nan("");
  };
  return number(a) == number(b);
}

bool key_fits(std::string_view key, const std::vector<std::string>& values) {
  if (key == base::join(values, ",")) return true;
  const std::vector<std::string> parts = base::split_text(key, ',');
  return std::ranges::equal(parts, values, same_value);
}

/** Returns "4096x4096" for [4096, 4096]. */
std::string size_text(const space::Json& size) {
  if (size.is_string()) return size.get<std::string>();
  if (!size.is_array()) return space::to_text(size);
  std::vector<std::string> parts;
  for (const space::Json& part : size) parts.push_back(python_text(part));
  return base::join(parts, "x");
}

/** Converts a number to a real if any value of the parameter is real, so that 1 and 1.0 are one value. */
space::KnobValue as_kind_of(const LoggedKnob& parameter, space::KnobValue value) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  if (!integer || parameter.choices().empty()) return value;
  if (!std::holds_alternative<double>(parameter.choices().front().value)) return value;
  return static_cast<double>(*integer);
}

class CacheReader {
 public:
  explicit CacheReader(ImportText& file) : file_(file), own_(file), skipped_(file.path()) {}

  Result<ImportedFile> run() {
    std::vector<StreamedMember> members = own_.members({std::string(session_key_name), "session"});
    members.push_back(
        {.path = {"cache"},
         .visit = [&](const space::Json& before, JsonEntry entry) { return take(before, std::move(entry)); },
         .may_be_cut = true});
    Result<StreamedJson> json = stream_import_json(file_, members);
    if (!json) return in_file(json.error());
    if (!json->truncated && !space::member_of(*json->rest, "cache"))
      return in_file(bad_cache("it has no \"cache\"").error());
    if (const Status header = read_rest(*json->rest); !header) return in_file(header.error());
    if (results_.empty() && skipped_.count() == 0)
      return in_file(
          bad_cache("its cache has no complete entry", "wait until a configuration was measured").error());
    if (Result<ImportedFile> own = restored(*json); !own || !own->parts.empty())
      return own ? std::move(own) : in_file(own.error());
    return imported(*json);
  }

 private:
  std::unexpected<Error> in_file(const Error& error) const {
    return fail(error.code, fmt::format("{}: {}", file_.path().string(), error.message), error.hint);
  }

  /**
   * Adds an entry. Entries are kept back if the header follows them, in a file that another program rewrote.
   */
  Status take(const space::Json& before, JsonEntry entry) {
    if (!has_header_ && !space::member_of(before, "tune_params")) {
      waiting_.push_back(std::move(entry));
      return file_.keep(waiting_.back().held_bytes);
    }
    TRY(read_header(before));
    return take_entry(entry);
  }

  Status read_rest(const space::Json& rest) {
    TRY(read_header(rest));
    for (const JsonEntry& entry : waiting_) TRY(take_entry(entry));
    return {};
  }

  Status read_header(const space::Json& header) {
    if (has_header_) return {};
    has_header_ = true;
    // Kernelscape writes its own member before the entries; after them it is ignored.
    checked_ = space::member_of(header, session_key_name) != nullptr;
    const space::Json* names = space::member_of(header, "tune_params_keys");
    const space::Json* params = space::member_of(header, "tune_params");
    if (!params || !params->is_object()) return bad_cache("it has no object \"tune_params\"");
    if (!names || !names->is_array()) return bad_cache("it has no list \"tune_params_keys\"");
    if (names->size() > space::max_space_knobs)
      return bad_cache(
          fmt::format("it has {} parameters, at most {} are read", names->size(), space::max_space_knobs));
    std::vector<std::string> parameters;
    for (const space::Json& name : *names) {
      if (!name.is_string() ||
          std::ranges::find(parameters, name.get_ref<const std::string&>()) != parameters.end())
        return bad_cache(fmt::format("{} in its \"tune_params_keys\" is not a new name", shown_json(name)));
      parameters.push_back(name.get<std::string>());
    }
    if (parameters.empty() || parameters.size() != params->size())
      return bad_cache(fmt::format("it names {} parameters in \"tune_params_keys\", {} in \"tune_params\"",
                                   parameters.size(), params->size()));
    results_ = LoggedResults(parameters);
    for (LoggedKnob& parameter : results_.parameters()) TRY(declare_values(parameter, *params));
    on_gpu_ = names_gpu(text_of(header, "device_name"));
    return read_objective(header);
  }

  static Status declare_values(LoggedKnob& parameter, const space::Json& params) {
    const space::Json* values = space::member_of(params, parameter.name());
    if (!values || !values->is_array() || values->empty())
      return bad_cache(
          fmt::format("\"tune_params\" has no list of values of {}", base::one_line(parameter.name())));
    const auto is_number = [](const space::Json& value) { return value.is_number(); };
    const bool reals =
        std::ranges::all_of(*values, is_number) &&
        std::ranges::any_of(*values, [](const space::Json& value) { return value.is_number_float(); });
    for (const space::Json& value : *values) {
      std::optional<space::KnobValue> known =
          reals ? std::optional<space::KnobValue>(value.get<double>()) : space::value_from_json(value);
      if (!known || (reals && !std::isfinite(std::get<double>(*known))))
        return bad_cache(
            fmt::format("the value {} of {} is neither a 64-bit number nor a truth value or text",
                        space::to_text(value), parameter.name()));
      parameter.add({.knob = parameter.name(), .value = std::move(*known)});
    }
    return {};
  }

  Status read_objective(const space::Json& header) {
    const space::Json* objective = space::member_of(header, "objective");
    if (objective && objective->is_array() && !objective->empty()) objective = &objective->front();
    if (!objective || objective->is_null()) return {};
    if (!objective->is_string())
      return bad_cache(fmt::format("its objective {} is not a name", shown_json(*objective)));
    objective_ = objective->get<std::string>();
    return {};
  }

  /**
   * Adds an entry. Sessions of Kernelscape may have entries that Kernel Tuner cannot represent: such files
   * are read as a whole.
   */
  Status take_entry(const JsonEntry& entry) {
    if (checked_) checksum_.add(*entry.value);
    const Status taken = add(entry);
    if (taken) return {};
    return skipped_.skip(
        fmt::format("{}, the entry {}", to_string(entry.place), base::quoted_line(entry.key)), taken.error());
  }

  Status add(const JsonEntry& entry) {
    if (entry.error) return std::unexpected(*entry.error);
    if (!entry.value->is_object()) return bad_cache("it is not an object");
    std::vector<LoggedChoice> choices = TRY(choices_of(entry));
    trial::Measurement measurement = TRY(measurement_of(*entry.value));
    std::optional<double> timestamp;
    if (const space::Json* text = space::member_of(*entry.value, "timestamp"); text && text->is_string())
      timestamp = timestamp_seconds(text->get_ref<const std::string&>());
    return results_.add(file_, std::move(choices), std::move(measurement), timestamp,
                        columns_of(*entry.value));
  }

  Result<std::vector<LoggedChoice>> choices_of(const JsonEntry& entry) const {
    std::vector<LoggedChoice> choices;
    std::vector<std::string> texts;
    for (const LoggedKnob& parameter : results_.parameters()) {
      const space::Json* value = space::member_of(*entry.value, parameter.name());
      if (!value) return bad_cache(fmt::format("it has no value of {}", base::one_line(parameter.name())));
      std::optional<space::KnobValue> known = space::value_from_json(*value);
      if (!known)
        return bad_cache(fmt::format("its {} is {}", base::one_line(parameter.name()), shown_json(*value)));
      texts.push_back(python_text(*value));
      choices.push_back({.knob = parameter.name(), .value = as_kind_of(parameter, std::move(*known))});
      if (!parameter.find(choices.back()))
        return bad_cache(fmt::format("\"tune_params\" has no value {} of {}", base::one_line(texts.back()),
                                     base::one_line(parameter.name())));
    }
    if (!key_fits(entry.key, texts))
      return bad_cache(
          fmt::format("the key differs from the values {}", base::quoted_line(base::join(texts, ","))));
    return choices;
  }

  Result<trial::Measurement> measurement_of(const space::Json& entry) {
    trial::Measurement measurement;
    for (const char* part : {"verification_time", "benchmark_time", "framework_time"})
      measurement.run_seconds += TRY(logged_seconds(entry, part, milliseconds_per_second));
    measurement.build_seconds = TRY(logged_seconds(entry, "compile_time", milliseconds_per_second));
    const space::Json* time = space::member_of(entry, "time");
    const space::Json* error = space::member_of(entry, "__error__");
    if (error && error->is_null()) error = nullptr;
    if (!error && time && time->is_string()) error = time;
    if (error) return failed(std::move(measurement), *error);
    if (time && time->is_number() && time->get<double>() >= time_of_errors) {
      measurement.category = trial::ErrorCategory::UnknownError;
      measurement.message = "Kernel Tuner gave it the time 1e20";
      return measurement;
    }
    return timed(std::move(measurement), entry);
  }

  Result<trial::Measurement> failed(trial::Measurement measurement, const space::Json& error) const {
    if (!error.is_string()) return bad_cache(fmt::format("its error {} is not a text", shown_json(error)));
    measurement.message = error.get<std::string>();
    measurement.category = kernel_tuner_category(measurement.message, on_gpu_);
    return measurement;
  }

  Result<trial::Measurement> timed(trial::Measurement measurement, const space::Json& entry) const {
    const space::Json* time = space::member_of(entry, "time");
    if (!time || time->is_null()) {
      return bad_cache(
          objective_ == "time"
              ? "it has neither a time nor an error"
              : fmt::format("it has no time, and the objective {} is not a time", base::one_line(objective_)),
          "only caches that measured the time can be imported");
    }
    const double seconds = TRY(logged_seconds(entry, "time", milliseconds_per_second));
    measurement.recorded_seconds = seconds;
    if (seconds <= 0) return bad_cache("its time is 0");
    const space::Json* times = space::member_of(entry, "times");
    if (!times || times->is_null()) return measurement;
    if (!times->is_array()) return bad_cache("its times are not a list");
    const Status added = append_logged_seconds(*times, milliseconds_per_second, measurement.samples_seconds);
    if (!added) return bad_cache("in its times " + added.error().message);
    TRY(check_objective(seconds, measurement.samples_seconds));
    return measurement;
  }

  std::vector<NamedNumber> columns_of(const space::Json& entry) {
    std::vector<NamedNumber> columns;
    for (const auto& [name, value] : entry.items()) {
      const auto is_name = [&](const LoggedKnob& parameter) { return parameter.name() == name; };
      if (is_kernel_tuner_member(name) || std::ranges::any_of(results_.parameters(), is_name)) continue;
      if (value.is_number()) {
        columns.push_back({name, value.get<double>()});
      } else if (!value.is_null() && left_out_.size() < 8 &&
                 std::ranges::find(left_out_, name) == left_out_.end()) {
        left_out_.push_back(name);
      }
    }
    return columns;
  }

  /** Returns a session that Kernelscape exported; no part if Kernel Tuner wrote the file. */
  Result<ImportedFile> restored(const StreamedJson& json) {
    const space::Json* key = space::member_of(*json.rest, session_key_name);
    if (!key || !checked_ || !session_key_fits(*key, checksum_.value())) {
      if (!key) return ImportedFile{};
      notices_.emplace_back("the file was changed after Kernelscape wrote it: its entries are used");
      return ImportedFile{};
    }
    Result<ImportedFile> own = read_session_key(own_, *key, results_.take_columns());
    if (own) own->format = "kernel-tuner";
    return own;
  }

  Result<ImportedFile> imported(const StreamedJson& json) {
    if (results_.empty()) return in_file(*skipped_.first());
    const Result<trial::RecordingHeader> header = header_of(*json.rest);
    if (!header) return in_file(header.error());
    const std::size_t entries = results_.size();
    Result<ImportedTrials> part = results_.take(*header);
    if (!part) return in_file(part.error());
    part->closed = !json.truncated;
    ImportedFile imported{.format = "kernel-tuner",
                          .path = file_.path(),
                          .natural = part->closed ? ImportAs::Recorded : ImportAs::Session};
    std::ranges::move(skipped_.notices(), std::back_inserter(notices_));
    if (json.dropped)
      notices_.push_back(
          fmt::format("its last entry, after {} others, is incomplete: it was omitted", entries));
    if (objective_ != "time")
      notices_.push_back(
          fmt::format("it was tuned for {}; this program ranks by time", base::one_line(objective_)));
    if (!left_out_.empty())
      notices_.push_back(
          fmt::format("omitted, because they are not numbers: {}", fmt::join(left_out_, ", ")));
    imported.parts.push_back(std::move(*part));
    imported.notices = std::move(notices_);
    return imported;
  }

  static std::string text_of(const space::Json& header, const char* member) {
    const space::Json* found = space::member_of(header, member);
    return found && found->is_string() ? found->get<std::string>() : std::string();
  }

  Result<trial::RecordingHeader> header_of(const space::Json& json) const {
    std::string kernel = text_of(json, "kernel_name");
    if (kernel.empty()) kernel = "kernel";
    const space::Json* size = space::member_of(json, "problem_size");
    const std::string problem = size ? kernel + " " + size_text(*size) : kernel;
    const task::Task task = TRY(task::make_generic_task({problem, "time", "s"}, problem));
    trial::RecordingHeader header;
    header.name = kernel;
    header.origin = "Kernel Tuner cache " + file_.path().filename().string();
    header.task_json = task::task_to_json(task);
    header.target_json = logged_target_json(text_of(json, "device_name"), header.target_name);
    header.options_json = trial::measure_options_to_json({});
    return header;
  }

  ImportText& file_;
  OwnSessionReader own_;
  LoggedResults results_;
  std::vector<JsonEntry> waiting_;
  std::string objective_ = "time";
  std::vector<std::string> left_out_;
  std::vector<std::string> notices_;
  bool has_header_ = false;
  bool on_gpu_ = true;
  bool checked_ = false;  ///< the file has Kernelscape's own member
  EntriesChecksum checksum_;
  SkippedEntries skipped_;
};

/** Recognises caches. The entries come first if the keys are sorted. */
bool recognises_kernel_tuner(std::string_view head) {
  if (!begins_as_object(head)) return false;
  const bool entries =
      names_key(head, "cache") && (names_key(head, "kernel_name") || names_key(head, "compile_time"));
  // The name must be a key: a file of another format may quote the name in a notice.
  return names_key(head, "tune_params") || names_key(head, "tune_params_keys") || entries;
}

Result<ImportedFile> read_kernel_tuner_cache(ImportText& file) { return CacheReader(file).run(); }

}  // namespace

ImportFormat kernel_tuner_import() {
  return {.name = "kernel-tuner",
          .summary = "a cache of Kernel Tuner, finished or not",
          .files = "Kernel Tuner caches",
          .endings = {".json"},
          .recognises = recognises_kernel_tuner,
          .read = read_kernel_tuner_cache};
}

}  // namespace kernelscape::exchange
