// Imports results in the T4 format of the autotuning methodology: a unit of time and a list of results.
#include <fmt/format.h>

#include <algorithm>
#include <array>
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

/** The unit of a file without a unit: Kernel Tuner, which writes most T4 files, uses milliseconds. */
constexpr double default_per_second = milliseconds_per_second;

struct InvalidityName {
  std::string_view name;
  trial::ErrorCategory category;
};

constexpr std::array invalidities{InvalidityName{"correct", trial::ErrorCategory::NoError},
                                  InvalidityName{"timeout", trial::ErrorCategory::RunTimeout},
                                  InvalidityName{"compile", trial::ErrorCategory::CompileDevice},
                                  InvalidityName{"runtime", trial::ErrorCategory::RuntimeDevice},
                                  InvalidityName{"correctness", trial::ErrorCategory::WrongAnswer},
                                  InvalidityName{"constraints", trial::ErrorCategory::InstantiationError}};

std::unexpected<Error> bad_results(std::string message) {
  return fail(ErrorCode::InvalidArgument, std::move(message), "expected results in the T4 format 1.0.0");
}

std::string text_member(const space::Json& object, const char* member) {
  const space::Json* found = space::member_of(object, member);
  return found && found->is_string() ? found->get<std::string>() : std::string();
}

/**
 * Returns the names in the order of the text, because objects are parsed without order. @param keys all keys
 * in the result; empty: any order
 */
std::vector<std::string> in_order_of_text(const space::Json& configuration,
                                          const std::vector<std::string>& keys) {
  std::vector<std::string> names;
  for (auto key = std::ranges::find(keys, "configuration"); key != keys.end(); ++key)
    if (configuration.contains(*key) && std::ranges::find(names, *key) == names.end()) names.push_back(*key);
  for (const auto& [name, value] : configuration.items())
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

constexpr std::size_t max_parameter_groups = 64;

/** Results with the same parameters. */
struct ParameterGroup {
  LoggedResults results;
  std::string first_place;  ///< place of the first result
};

class T4ResultsReader {
 public:
  explicit T4ResultsReader(ImportText& file) : file_(file), own_(file), skipped_(file.path()) {}

  Result<ImportedFile> run() {
    std::vector<StreamedMember> members = own_.members({std::string(session_key_name), "session"});
    members.push_back(
        {.path = {"results"},
         .visit = [&](const space::Json& before, JsonEntry entry) { return take(before, std::move(entry)); },
         .may_be_cut = true});
    Result<StreamedJson> json = stream_import_json(file_, members);
    if (!json) return in_file(json.error());
    if (json->truncated)
      return in_file(
          fail(ErrorCode::Corrupt, "it ends within its results", "copy or download the file again").error());
    if (const Status unit = read_unit(*json->rest); !unit) return in_file(unit.error());
    for (const JsonEntry& entry : waiting_)
      if (const Status taken = take_entry(entry); !taken) return in_file(taken.error());
    if (groups_.empty() && skipped_.count() == 0) return in_file(bad_results("it has no results").error());
    Result<ImportedFile> imported = file_of(*json);
    if (!imported) return in_file(imported.error());
    return imported;
  }

 private:
  std::unexpected<Error> in_file(const Error& error) const {
    return fail(error.code, fmt::format("{}: {}", file_.path().string(), error.message), error.hint);
  }

  /** Adds a result. Results are kept back if the unit follows them. */
  Status take(const space::Json& before, JsonEntry entry) {
    if (!has_header_ && !space::member_of(before, "metadata")) {
      waiting_.push_back(std::move(entry));
      return file_.keep(waiting_.back().held_bytes);
    }
    TRY(read_unit(before));
    return take_entry(entry);
  }

  /** Reads the unit from the metadata of Kernel Tuner: the format itself has none. */
  Status read_unit(const space::Json& json) {
    if (has_header_) return {};
    has_header_ = true;
    // Kernelscape writes its own member before the results; after them it is ignored.
    checked_ = space::member_of(json, session_key_name) != nullptr;
    const space::Json* metadata = space::member_of(json, "metadata");
    const space::Json* unit = metadata ? space::member_of(*metadata, "timeunit") : nullptr;
    if (!unit || unit->is_null()) return {};
    const std::string name = unit->is_string() ? unit->get<std::string>() : space::to_text(*unit);
    Result<double> per_second = units_per_second(name);
    if (!per_second)
      return fail(per_second.error().code, "the timeunit of its metadata: " + per_second.error().message,
                  per_second.error().hint);
    unit_ = *per_second;
    return {};
  }

  /**
   * Adds an entry. Sessions of Kernelscape may have results that T4 cannot represent: such files are read as
   * a whole.
   */
  Status take_entry(const JsonEntry& entry) {
    if (checked_) checksum_.add(*entry.value);
    const Status taken = add(entry);
    if (taken) return {};
    return skipped_.skip(place_of(entry), taken.error());
  }

  static std::string place_of(const JsonEntry& entry) {
    return fmt::format("{}, results[{}]", to_string(entry.place), entry.number);
  }

  Status add(const JsonEntry& entry) {
    if (entry.error) return std::unexpected(*entry.error);
    const space::Json* configuration = space::member_of(*entry.value, "configuration");
    if (!configuration || !configuration->is_object() || configuration->empty())
      return bad_results("it has no configuration");
    if (configuration->size() > space::max_space_knobs)
      return bad_results(fmt::format("it has {} parameters, at most {} are read", configuration->size(),
                                     space::max_space_knobs));
    trial::Measurement measurement = TRY(measurement_of(*entry.value));
    ParameterGroup* const group = group_of(*configuration, entry);
    if (group == nullptr) return bad_results("it has other parameters than the results before it");
    std::vector<LoggedChoice> choices = TRY(choices_of(*configuration, group->results));
    const auto timestamp = timestamp_seconds(text_member(*entry.value, "timestamp"));
    return group->results.add(file_, std::move(choices), std::move(measurement), timestamp,
                              columns_of(*entry.value));
  }

  /**
   * Returns the group with these parameters. The group with most results is determined at the end. Null:
   * there are too many groups.
   */
  ParameterGroup* group_of(const space::Json& configuration, const JsonEntry& entry) {
    const auto has_these = [&](const ParameterGroup& group) {
      return group.results.parameters().size() == configuration.size() &&
             std::ranges::all_of(group.results.parameters(), [&](const LoggedKnob& parameter) {
               return configuration.contains(parameter.name());
             });
    };
    const auto found = std::ranges::find_if(groups_, has_these);
    if (found != groups_.end()) return &*found;
    if (groups_.size() == max_parameter_groups) return nullptr;
    return &groups_.emplace_back(LoggedResults(in_order_of_text(configuration, entry.keys)), place_of(entry));
  }

  static Result<std::vector<LoggedChoice>> choices_of(const space::Json& configuration,
                                                      const LoggedResults& results) {
    std::vector<LoggedChoice> choices;
    for (const LoggedKnob& parameter : results.parameters()) {
      const space::Json& value = configuration.at(parameter.name());
      std::optional<space::KnobValue> known = space::value_from_json(value);
      if (!known)
        return bad_results(fmt::format("its {} is {}", base::one_line(parameter.name()), shown_json(value)));
      choices.push_back({.knob = parameter.name(), .value = std::move(*known)});
    }
    return choices;
  }

  Result<trial::Measurement> measurement_of(const space::Json& entry) {
    const std::string invalidity = text_member(entry, "invalidity");
    if (invalidity.empty()) return bad_results("it has no invalidity");
    const auto known = std::ranges::find(invalidities, invalidity, &InvalidityName::name);
    trial::Measurement measurement;
    measurement.category = known == invalidities.end() ? trial::ErrorCategory::UnknownError : known->category;
    const space::Json* found = time_measurement(entry);
    const space::Json* value = found ? space::member_of(*found, "value") : nullptr;
    const std::string value_unit = found ? text_member(*found, "unit") : std::string();
    double times_unit = unit_ != 0 ? unit_ : default_per_second;
    double value_per_second = times_unit;
    if (measurement.valid() && value && !value_unit.empty()) {
      value_per_second = TRY(units_per_second(value_unit));
      if (unit_ == 0) times_unit = value_per_second;
    }
    const space::Json* times = space::member_of(entry, "times");
    if (!times || !times->is_object()) return bad_results("it has no times");
    TRY(read_times(*times, times_unit, measurement));
    if (measurement.valid()) return timed(std::move(measurement), value, value_per_second);
    measurement.message = value && value->is_string() ? value->get<std::string>() : invalidity;
    return measurement;
  }

  static Result<trial::Measurement> timed(trial::Measurement measurement, const space::Json* value,
                                          double per_second) {
    if (!value) {
      if (!measurement.samples_seconds.empty()) return measurement;
      return bad_results("it is correct, but has no time among its measurements");
    }
    const Result<double> seconds = logged_seconds(space::Json{{"value", *value}}, "value", per_second);
    if (!seconds || *seconds <= 0)
      return bad_results(fmt::format("it is correct, but its time is {}", shown_json(*value)));
    measurement.recorded_seconds = *seconds;
    TRY(check_objective(*seconds, measurement.samples_seconds));
    return measurement;
  }

  /** Reads the times. The runtimes of a failed result are ignored, because they may have any value. */
  static Status read_times(const space::Json& times, double per_second, trial::Measurement& measurement) {
    const char* compilation = space::member_of(times, "compilation") ? "compilation" : "compilation_time";
    measurement.build_seconds = TRY(logged_seconds(times, compilation, per_second));
    const space::Json* runtimes = space::member_of(times, "runtimes");
    if (measurement.valid() && runtimes && !runtimes->is_null()) {
      const Status added = append_logged_seconds(*runtimes, per_second, measurement.samples_seconds);
      if (!added) return bad_results("in its runtimes " + added.error().message);
    }
    for (const char* part : {"validation", "framework", "benchmark"})
      measurement.run_seconds += TRY(logged_seconds(times, part, per_second));
    if (!space::member_of(times, "benchmark"))
      for (const double sample : measurement.samples_seconds) measurement.run_seconds += sample;
    return {};
  }

  static bool is_time(const space::Json& measurement) { return text_member(measurement, "name") == "time"; }

  /**
   * Returns the measurement that ranks a result: the time, or else the objective if it has a unit of time.
   */
  static const space::Json* time_measurement(const space::Json& entry) {
    const space::Json* measurements = space::member_of(entry, "measurements");
    if (!measurements || !measurements->is_array()) return nullptr;
    const auto found = std::ranges::find_if(*measurements, is_time);
    if (found != measurements->end()) return &*found;
    const space::Json* objectives = space::member_of(entry, "objectives");
    if (!objectives || !objectives->is_array() || objectives->empty() || !objectives->front().is_string())
      return nullptr;
    const auto is_objective = [&](const space::Json& measurement) {
      return measurement.is_object() && is_time_unit(text_member(measurement, "unit")) &&
             text_member(measurement, "name") == objectives->front().get_ref<const std::string&>();
    };
    const auto objective = std::ranges::find_if(*measurements, is_objective);
    if (objective != measurements->end()) return &*objective;
    return nullptr;
  }

  static std::vector<NamedNumber> columns_of(const space::Json& entry) {
    std::vector<NamedNumber> columns;
    const space::Json* measurements = space::member_of(entry, "measurements");
    if (!measurements || !measurements->is_array()) return columns;
    const space::Json* time = time_measurement(entry);
    for (const space::Json& measurement : *measurements) {
      const space::Json* value = space::member_of(measurement, "value");
      const std::string name = text_member(measurement, "name");
      if (&measurement == time || name.empty() || !value || !value->is_number()) continue;
      columns.push_back({name, value->get<double>(), text_member(measurement, "unit")});
    }
    return columns;
  }

  /**
   * Returns the group with most results. The results of other groups have other parameters and are skipped.
   */
  Result<LoggedResults> largest_results() {
    const auto size_of = [](const ParameterGroup& group) { return group.results.size(); };
    const auto most = std::ranges::max_element(groups_, {}, size_of);
    if (most == groups_.end() || most->results.empty()) return std::unexpected(*skipped_.first());
    for (const ParameterGroup& group : groups_) {
      if (&group == &*most || group.results.empty()) continue;
      std::vector<std::string> names;
      for (const LoggedKnob& parameter : group.results.parameters()) names.push_back(parameter.name());
      const Error why = bad_results(fmt::format("it has other parameters than most results: {}",
                                                base::one_line(base::join(names, ", "))))
                            .error();
      TRY(skipped_.skip(group.first_place, why, group.results.size()));
    }
    return std::move(most->results);
  }

  Result<ImportedFile> file_of(const StreamedJson& json) {
    std::vector<std::string> notices;
    if (const space::Json* key = space::member_of(*json.rest, session_key_name)) {
      if (checked_ && session_key_fits(*key, checksum_.value())) {
        std::vector<trial::RecordedColumn> columns;
        if (groups_.size() == 1) columns = groups_.front().results.take_columns();
        Result<ImportedFile> own = read_session_key(own_, *key, std::move(columns));
        if (own) own->format = "t4";
        return own;
      }
      notices.emplace_back("the file was changed after Kernelscape wrote it: its results are used");
    }
    LoggedResults results = TRY(largest_results());
    ImportedTrials part = TRY(results.take(TRY(header_of())));
    std::ranges::move(skipped_.notices(), std::back_inserter(notices));
    if (unit_ == 0)
      notices.emplace_back(
          "it has no unit for its times: they are read in the unit of the measured time, or else in "
          "milliseconds");
    notices.emplace_back("T4 contains neither the kernel nor the device: the task is named after the file");
    ImportedFile imported{.format = "t4", .path = file_.path()};
    imported.notices = std::move(notices);
    imported.parts.push_back(std::move(part));
    return imported;
  }

  Result<trial::RecordingHeader> header_of() const {
    std::string name = file_.path().filename().string();
    name = name.substr(0, name.find('.', 1));
    if (name.empty()) name = "results";
    const task::Task task = TRY(task::make_generic_task({name, "time", "s"}, name));
    trial::RecordingHeader header;
    header.name = name;
    header.origin = "T4 results " + file_.path().filename().string();
    header.task_json = task::task_to_json(task);
    header.target_json = logged_target_json("unknown", header.target_name);
    header.options_json = trial::measure_options_to_json({});
    return header;
  }

  ImportText& file_;
  OwnSessionReader own_;
  std::vector<ParameterGroup> groups_;
  std::vector<JsonEntry> waiting_;
  bool has_header_ = false;
  double unit_ = 0;       ///< per second; 0: the file has no unit
  bool checked_ = false;  ///< the file has Kernelscape's own member
  EntriesChecksum checksum_;
  SkippedEntries skipped_;
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

}  // namespace kernelscape::exchange
