// Results in the T4 format of the autotuning methodology: a unit of time and a list of results.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/visible_text.h"
#include "core/exchange/formats/logged_results.h"
#include "core/exchange/formats/own_session_reader.h"
#include "core/exchange/formats/session_key.h"
#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/space/knob_json.h"
#include "core/task/task.h"
#include "core/trial/measure_options.h"

namespace kernelscape {
namespace {

struct UnitName {
  std::string_view name;
  double per_second;
};

/** The first one is a typing error that many files have. */
constexpr std::array file_units{UnitName{"miliseconds", 1e3}, UnitName{"milliseconds", 1e3},
                                UnitName{"seconds", 1}, UnitName{"microseconds", 1e6},
                                UnitName{"nanoseconds", 1e9}};

/** Of one measurement. */
constexpr std::array measurement_units{UnitName{"ms", 1e3}, UnitName{"s", 1}, UnitName{"us", 1e6},
                                       UnitName{"ns", 1e9}};

struct InvalidityName {
  std::string_view name;
  ErrorCategory category;
};

constexpr std::array invalidities{InvalidityName{"correct", ErrorCategory::NoError},
                                  InvalidityName{"timeout", ErrorCategory::RunTimeout},
                                  InvalidityName{"compile", ErrorCategory::CompileDevice},
                                  InvalidityName{"runtime", ErrorCategory::RuntimeDevice},
                                  InvalidityName{"correctness", ErrorCategory::WrongAnswer},
                                  InvalidityName{"constraints", ErrorCategory::InstantiationError}};

std::unexpected<Error> bad_results(std::string message) {
  return fail(ErrorCode::InvalidArgument, std::move(message), "expected results in the T4 format 1.0.0");
}

std::string text_member(const Json& object, const char* member) {
  const Json* found = member_of(object, member);
  return found && found->is_string() ? found->get<std::string>() : std::string();
}

/** Names in the order of the text: objects are read in no order. @param keys all in the first result */
std::vector<std::string> in_order_of_text(const Json& configuration, const std::vector<std::string>& keys) {
  std::vector<std::string> names;
  for (auto key = std::ranges::find(keys, "configuration"); key != keys.end(); ++key)
    if (configuration.contains(*key) && std::ranges::find(names, *key) == names.end()) names.push_back(*key);
  return names;
}

class T4ResultsReader {
 public:
  explicit T4ResultsReader(ImportText& file) : file_(file), own_(file) {}

  Result<ImportedFile> run() {
    std::vector<StreamedMember> members = own_.members({std::string(session_key_name), "session"});
    members.push_back(
        {.path = {"results"},
         .visit = [&](const Json& before, JsonEntry entry) { return take(before, std::move(entry)); },
         .may_be_cut = true});
    Result<StreamedJson> json = stream_import_json(file_, members);
    if (!json) return in_file(json.error());
    if (json->truncated)
      return in_file(
          fail(ErrorCode::Corrupt, "it ends within its results", "copy or download the file again").error());
    if (const Status unit = read_unit(*json->rest); !unit) return in_file(unit.error());
    for (const JsonEntry& entry : waiting_)
      if (const Status taken = take_entry(entry); !taken) return in_file(taken.error());
    if (results_.empty() && !entry_error_) return in_file(bad_results("it has no results").error());
    Result<ImportedFile> imported = file_of(*json);
    if (!imported) return in_file(imported.error());
    return imported;
  }

 private:
  std::unexpected<Error> in_file(const Error& error) const {
    return fail(error.code, fmt::format("{}: {}", file_.path().string(), error.message), error.hint);
  }

  /** Results wait where the unit comes after them. */
  Status take(const Json& before, JsonEntry entry) {
    if (unit_ == 0 && !member_of(before, "metadata")) {
      waiting_.push_back(std::move(entry));
      return file_.keep(waiting_.back().held_bytes);
    }
    TRY(read_unit(before));
    return take_entry(entry);
  }

  Status read_unit(const Json& json) {
    if (unit_ != 0) return {};
    // Kernelscape writes its own member before the results; where it comes after them it is not looked at.
    checked_ = member_of(json, session_key_name) != nullptr;
    const Json* metadata = member_of(json, "metadata");
    const std::string name = metadata ? text_member(*metadata, "timeunit") : std::string();
    const auto found = std::ranges::find(file_units, name, &UnitName::name);
    if (found == file_units.end())
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("its metadata has the timeunit {}", quoted_line(name)),
                  "known: milliseconds, seconds, microseconds, nanoseconds");
    unit_ = found->per_second;
    return {};
  }

  Status take_entry(const JsonEntry& entry) {
    if (checked_) checksum_.add(*entry.value);
    const Status taken = add(*entry.value, entry.keys);
    if (taken) return taken;
    Error error{
        taken.error().code,
        fmt::format("{}: results[{}]: {}", to_string(entry.place), entry.number, taken.error().message),
        taken.error().hint};
    if (!checked_) return std::unexpected(std::move(error));
    // Kernelscape's own sessions may have what T4 cannot say.
    if (!entry_error_) entry_error_ = std::move(error);
    return {};
  }

  /** @param keys in the order of the text, of the first result */
  Status add(const Json& entry, const std::vector<std::string>& keys) {
    const Json* configuration = member_of(entry, "configuration");
    if (!configuration || !configuration->is_object() || configuration->empty())
      return bad_results("it has no configuration");
    if (configuration->size() > most_space_knobs)
      return bad_results(
          fmt::format("it has {} parameters, at most {} are read", configuration->size(), most_space_knobs));
    if (results_.parameters().empty()) results_ = LoggedResults(in_order_of_text(*configuration, keys));
    std::vector<std::uint32_t> choices = TRY(choices_of(*configuration));
    Measurement measurement = TRY(measurement_of(entry));
    TRY(file_.keep(kept_trial_bytes(measurement, choices.size())));
    results_.add(std::move(choices), std::move(measurement),
                 timestamp_seconds(text_member(entry, "timestamp")));
    return add_columns(entry);
  }

  Result<std::vector<std::uint32_t>> choices_of(const Json& configuration) {
    if (configuration.size() != results_.parameters().size())
      return bad_results(fmt::format("it has {} parameters, the first result has {}", configuration.size(),
                                     results_.parameters().size()));
    std::vector<std::uint32_t> choices;
    for (LoggedKnob& parameter : results_.parameters()) {
      const Json* value = member_of(configuration, parameter.name());
      if (!value) return bad_results(fmt::format("it has no value of {}", one_line(parameter.name())));
      std::optional<KnobValue> known = value_from_json(*value);
      if (!known)
        return bad_results(
            fmt::format("its {} is {}", one_line(parameter.name()), one_line(to_text(*value))));
      const std::size_t values = parameter.choices().size();
      choices.push_back(parameter.add({.knob = parameter.name(), .value = std::move(*known)}));
      if (choices.back() == values) TRY(file_.keep(kept_choice_bytes));
    }
    return choices;
  }

  Result<Measurement> measurement_of(const Json& entry) const {
    const std::string invalidity = text_member(entry, "invalidity");
    const auto known = std::ranges::find(invalidities, invalidity, &InvalidityName::name);
    if (known == invalidities.end())
      return bad_results(fmt::format("its invalidity {} is unknown", quoted_line(invalidity)));
    Measurement measurement;
    measurement.category = known->category;
    const Json* times = member_of(entry, "times");
    if (!times || !times->is_object()) return bad_results("it has no times");
    TRY(read_times(*times, measurement));
    const Json* value = nullptr;
    double per_second = unit_;
    if (const Json* found = time_measurement(entry)) {
      value = member_of(*found, "value");
      const std::string unit = text_member(*found, "unit");
      const auto named = std::ranges::find(measurement_units, unit, &UnitName::name);
      if (named != measurement_units.end()) per_second = named->per_second;
    }
    if (!measurement.valid()) {
      measurement.message = value && value->is_string() ? value->get<std::string>() : invalidity;
      return measurement;
    }
    if (!value) {
      if (!measurement.samples_seconds.empty()) return measurement;
      return bad_results("it is correct, but has no time among its measurements");
    }
    const Result<double> seconds = logged_seconds(Json{{"value", *value}}, "value", per_second);
    if (!seconds || *seconds <= 0)
      return bad_results(fmt::format("it is correct, but its time is {}", one_line(to_text(*value))));
    measurement.recorded_seconds = *seconds;
    return measurement;
  }

  Status read_times(const Json& times, Measurement& measurement) const {
    const char* compilation = member_of(times, "compilation") ? "compilation" : "compilation_time";
    measurement.build_seconds = TRY(logged_seconds(times, compilation, unit_));
    if (const Json* runtimes = member_of(times, "runtimes"); runtimes && !runtimes->is_null()) {
      const Status added = append_logged_seconds(*runtimes, unit_, measurement.samples_seconds);
      if (!added) return bad_results("in its runtimes " + added.error().message);
    }
    for (const char* part : {"validation", "framework", "benchmark"})
      measurement.run_seconds += TRY(logged_seconds(times, part, unit_));
    if (!member_of(times, "benchmark"))
      for (const double sample : measurement.samples_seconds) measurement.run_seconds += sample;
    return {};
  }

  static bool is_time(const Json& measurement) { return text_member(measurement, "name") == "time"; }

  /** What ranks: the time, else the objective where its unit is one of time. */
  static const Json* time_measurement(const Json& entry) {
    const Json* measurements = member_of(entry, "measurements");
    if (!measurements || !measurements->is_array()) return nullptr;
    const auto found = std::ranges::find_if(*measurements, is_time);
    if (found != measurements->end()) return &*found;
    const Json* objectives = member_of(entry, "objectives");
    if (!objectives || !objectives->is_array() || objectives->empty() || !objectives->front().is_string())
      return nullptr;
    const auto is_objective = [&](const Json& measurement) {
      const auto unit =
          std::ranges::find(measurement_units, text_member(measurement, "unit"), &UnitName::name);
      return measurement.is_object() && unit != measurement_units.end() &&
             text_member(measurement, "name") == objectives->front().get_ref<const std::string&>();
    };
    const auto objective = std::ranges::find_if(*measurements, is_objective);
    if (objective != measurements->end()) return &*objective;
    return nullptr;
  }

  Status add_columns(const Json& entry) {
    const Json* measurements = member_of(entry, "measurements");
    if (!measurements || !measurements->is_array()) return {};
    const Json* time = time_measurement(entry);
    for (const Json& measurement : *measurements) {
      const Json* value = member_of(measurement, "value");
      const std::string name = text_member(measurement, "name");
      if (&measurement == time || name.empty() || !value || !value->is_number()) continue;
      TRY(results_.set_column(name, value->get<double>()));
    }
    return {};
  }

  Result<ImportedFile> file_of(const StreamedJson& json) {
    std::vector<std::string> notices;
    if (const Json* key = member_of(*json.rest, session_key_name)) {
      if (checked_ && session_key_fits(*key, checksum_.value())) {
        Result<ImportedFile> own = read_session_key(own_, *key, results_.take_columns());
        if (own) own->format = "t4";
        return own;
      }
      notices.emplace_back("the file was changed after Kernelscape wrote it: what its results say counts");
    }
    if (entry_error_) return std::unexpected(*entry_error_);
    const RecordingHeader header = TRY(header_of());
    ImportedTrials part = TRY(results_.take(header));
    notices.emplace_back("T4 names neither the kernel nor the device: the task is named after the file");
    ImportedFile imported{.format = "t4", .path = file_.path()};
    imported.notices = std::move(notices);
    imported.parts.push_back(std::move(part));
    return imported;
  }

  Result<RecordingHeader> header_of() const {
    std::string name = file_.path().filename().string();
    name = name.substr(0, name.find('.', 1));
    if (name.empty()) name = "results";
    const Task task = TRY(make_generic_task({name, "time", "s"}, name));
    RecordingHeader header;
    header.name = name;
    header.origin = "T4 results " + file_.path().filename().string();
    header.task_json = task_to_json(task);
    header.target_json = logged_target_json("unknown", header.target_name);
    header.options_json = measure_options_to_json({});
    return header;
  }

  ImportText& file_;
  OwnSessionReader own_;
  LoggedResults results_;
  std::vector<JsonEntry> waiting_;
  double unit_ = 0;       ///< per second; 0: not read yet
  bool checked_ = false;  ///< it has the member of Kernelscape's own
  EntriesChecksum checksum_;
  std::optional<Error> entry_error_;  ///< the first
};

bool recognises_t4(std::string_view head) {
  return begins_as_object(head) &&
         (names_key(head, "timeunit") || (names_key(head, "results") && names_key(head, "invalidity")));
}

Result<ImportedFile> read_t4_results(ImportText& file) { return T4ResultsReader(file).run(); }

}  // namespace

ImportFormat t4_import() {
  return {.name = "t4",
          .summary = "results in the T4 format of the autotuning methodology",
          .files = "T4 results",
          .endings = {".json"},
          .recognises = recognises_t4,
          .read = read_t4_results};
}

}  // namespace kernelscape
