#include "core/exchange/formats/session_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "core/space/knob_json.h"
#include "core/trial/fields.h"

namespace kernelscape::exchange {
namespace {

using OrderedJson = nlohmann::ordered_json;

/** A text that is written as the JSON it contains; as a string if it is not JSON. */
struct EmbeddedJson {
  std::string* text;
};

constexpr std::array<std::pair<std::string_view, double>, 3> no_numbers{
    {{"inf", std::numeric_limits<double>::infinity()},
     {"-inf", -std::numeric_limits<double>::infinity()},
     {"nan", std::numeric_limits<double>::quiet_NaN()}}};

bool utf8(const std::string& text) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return true;
  const space::Json copy = space::parse_json(space::to_text(space::Json(text)));
  return copy.is_string() && copy.get_ref<const std::string&>() == text;
}

OrderedJson write(double value) {
  if (std::isfinite(value)) return value;
  return no_numbers[std::isnan(value) ? 2 : value > 0 ? 0 : 1].first;
}

/** Writes a list of bytes if the text is not UTF-8, because messages of compilers can have any content. */
OrderedJson write(const std::string& text) {
  if (utf8(text)) return text;
  OrderedJson bytes = OrderedJson::array();
  for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
  return bytes;
}
template <typename T>
  requires std::is_integral_v<T> || std::is_same_v<T, bool>
OrderedJson write(T value) {
  return value;
}
template <typename Enum>
  requires(trial::enumerator_count<Enum> > 0)
OrderedJson write(Enum value) {
  return to_string(value);
}
template <typename T>
OrderedJson write(const std::vector<T>& list) {
  OrderedJson json = OrderedJson::array();
  for (const T& item : list) json.push_back(write(item));
  return json;
}

OrderedJson write(const space::Configuration& configuration) { return write(configuration.indices); }

OrderedJson write(const EmbeddedJson& embedded) {
  if (embedded.text->empty()) return nullptr;
  OrderedJson json = OrderedJson::parse(*embedded.text, nullptr, false);
  if (!json.is_structured()) return *embedded.text;
  return json;
}

template <typename T>
  requires std::is_integral_v<T>
bool read(const space::Json& json, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    if (json.is_boolean()) value = json.get<bool>();
    return json.is_boolean();
  } else if (json.is_number_unsigned()) {
    const auto number = json.get<std::uint64_t>();
    if (!std::in_range<T>(number)) return false;
    value = static_cast<T>(number);
    return true;
  } else {
    if (!json.is_number_integer() || !std::in_range<T>(json.get<std::int64_t>())) return false;
    value = static_cast<T>(json.get<std::int64_t>());
    return true;
  }
}

bool read(const space::Json& json, double& value) {
  if (json.is_number()) value = json.get<double>();
  if (!json.is_string()) return json.is_number();
  const auto found = std::ranges::find(no_numbers, json.get_ref<const std::string&>(),
                                       &std::pair<std::string_view, double>::first);
  if (found != no_numbers.end()) value = found->second;
  return found != no_numbers.end();
}

bool read(const space::Json& json, std::string& text) {
  if (json.is_string()) text = json.get<std::string>();
  if (!json.is_array()) return json.is_string();
  text.clear();
  for (const space::Json& item : json) {
    std::uint8_t byte = 0;
    if (!read(item, byte)) return false;
    text += static_cast<char>(byte);
  }
  return true;
}

template <typename T>
bool read(const space::Json& json, std::vector<T>& list) {
  if (!json.is_array()) return false;
  list.clear();
  for (const space::Json& item : json)
    if (!read(item, list.emplace_back())) return false;
  return true;
}

bool read(const space::Json& json, space::Configuration& configuration) {
  return read(json, configuration.indices);
}

/** Returns the value of an enum from its text, by the position of the text; nullopt for an unknown text. */
template <typename Enum>
std::optional<Enum> enum_of(const space::Json& text, std::size_t count) {
  for (std::size_t i = 0; text.is_string() && i < count; ++i)
    if (to_string(static_cast<Enum>(i)) == text.get_ref<const std::string&>()) return static_cast<Enum>(i);
  return std::nullopt;
}

template <typename Enum>
  requires(trial::enumerator_count<Enum> > 0)
bool read(const space::Json& json, Enum& value) {
  const std::optional<Enum> found = enum_of<Enum>(json, trial::enumerator_count<Enum>);
  if (found) value = *found;
  return found.has_value();
}

bool read(const space::Json& json, const EmbeddedJson& embedded) {
  if (json.is_null()) return embedded.text->clear(), true;
  if (json.is_string()) return read(json, *embedded.text);
  *embedded.text = space::to_text(json);
  return json.is_structured();
}

/** Adds members to an object, in the order of a list of fields below. */
struct Writer {
  OrderedJson json = OrderedJson::object();

  template <typename T>
  void operator()(std::string_view name, const T& value) {
    json[std::string(name)] = write(value);
  }
};

/** Reads members; keeps the name of the first member that is missing or wrong. */
struct Reader {
  const space::Json& json;
  std::string wrong{};

  template <typename T>
  void operator()(std::string_view name, T&& value) {
    const space::Json* found = space::member_of(json, name);
    if (wrong.empty() && (!found || !read(*found, value))) wrong = name;
  }
};

// One list of fields for both directions.

template <typename Visit>
void visit_record(store::SessionRecord& record, store::SessionAnnotation& annotation, Visit& visit) {
  visit("id", record.id);
  visit("name", record.name);
  visit("created_utc", record.created_utc);
  visit("program_version", record.program_version);
  visit("task_name", record.task_name);
  visit("task", EmbeddedJson{&record.task_json});
  visit("target_name", record.target_name);
  visit("target", EmbeddedJson{&record.target_json});
  visit("template", record.template_name);
  visit("template_version", record.template_version);
  visit("space", EmbeddedJson{&record.space_json});
  visit("tuner", record.tuner);
  visit("settings", EmbeddedJson{&record.settings_json});
  visit("options", EmbeddedJson{&record.options_json});
  visit("budget", EmbeddedJson{&record.budget_json});
  visit("seed", record.seed);
  visit("batch_size", record.batch_size);
  visit("history", EmbeddedJson{&record.history_json});
  visit("real_measurements", record.real_measurements);
  visit("tags", annotation.tags);
  visit("note", annotation.note);
}

template <typename Visit>
void visit_fields(store::SessionStatus& status, Visit& visit) {
  visit("state_reason", status.state_reason);
  visit("trial_count", status.trial_count);
  visit("best_trial", status.best_trial);
  visit("best_seconds", status.best_seconds);
  visit("session_seconds", status.session_seconds);
  visit("search_seconds", status.search_seconds);
  visit("build_seconds", status.build_seconds);
  visit("run_seconds", status.run_seconds);
  visit("vendor", EmbeddedJson{&status.vendor_json});
}

template <typename Visit>
void visit_fields(trial::Trial& trial, Visit& visit) {
  trial::for_each_field<trial::trial_fields, &trial::FieldFacts::json>(
      [&](auto field) { visit(field.facts.key, trial::value_in(field, trial)); });
}

template <typename Visit>
void visit_fields(trial::KernelResources& resources, Visit& visit) {
  trial::for_each_field<trial::gpu_fields, &trial::FieldFacts::json>(
      [&](auto field) { visit(field.facts.key, trial::value_in(field, resources)); });
}

template <typename Visit>
void visit_fields(trial::Confirmation& confirmation, Visit& visit) {
  visit("trial", confirmation.trial);
  visit("measured_utc", confirmation.measured_utc);
  visit("samples_seconds", confirmation.samples_seconds);
}

template <typename Visit>
void visit_fields(store::StoredSeries& series, Visit& visit) {
  visit("trial", series.trial);
  visit("series", series.series);
  visit("value", series.value);
}

template <typename Visit>
void visit_fields(store::SessionInterruption& interruption, Visit& visit) {
  visit("at_session_seconds", interruption.at_session_seconds);
  visit("kind", interruption.kind);
}

template <typename Visit>
void visit_fields(trial::SessionNotice& notice, Visit& visit) {
  visit("kind", notice.kind);
  visit("text", notice.text);
  visit("session_seconds", notice.session_seconds);
}

std::unexpected<Error> unusable(std::string_view what, std::string_view member) {
  return fail(ErrorCode::InvalidArgument, fmt::format("{} has no usable \"{}\"", what, member),
              "export the session again with --format json");
}

/** Returns the value of an enum from a member; nullopt if it is missing or unknown. */
template <typename Enum>
std::optional<Enum> enum_of(const space::Json& object, const char* member, std::size_t count) {
  const space::Json* text = space::member_of(object, member);
  return text ? enum_of<Enum>(*text, count) : std::nullopt;
}

template <typename T>
OrderedJson write_fields(const T& value) {
  Writer writer;
  T copy = value;
  visit_fields(copy, writer);
  return std::move(writer.json);
}

template <typename T>
Result<T> read_fields(const space::Json& json, std::string_view what) {
  T value;
  Reader reader{json};
  visit_fields(value, reader);
  if (!reader.wrong.empty()) return unusable(what, reader.wrong);
  return value;
}

/** Returns the member with a value that no measurement can have, or an empty text. */
std::string_view impossible_member(const trial::Trial& trial) {
  const trial::Measurement& measurement = trial.measurement;
  if (!measurement.valid() && !measurement.samples_seconds.empty()) return "samples_seconds";
  if (!measurement.valid() && measurement.recorded_seconds > 0) return "recorded_seconds";
  std::string_view found;
  trial::for_each_field<trial::trial_fields, &trial::FieldFacts::json>([&](auto field) {
    // Validation gives a more precise error for a check's error.
    const bool checked = field.facts.range != trial::RealRange::Magnitude;
    if (found.empty() && checked && !trial::plausible(field, trial::value_in(field, trial)))
      found = field.facts.key;
  });
  return found;
}

Result<trial::KernelResources> resources_from_json(const space::Json& json, std::string_view what) {
  trial::KernelResources resources = TRY(read_fields<trial::KernelResources>(json, what));
  if (!resources.plausible()) return unusable(what, "resources");
  return resources;
}

OrderedJson write(const trial::Metric& metric) {
  return {{"name", write(metric.name)}, {"unit", write(metric.unit)}, {"value", write(metric.value)}};
}

bool read(const space::Json& json, trial::Metric& metric) {
  const auto member = [&](std::string_view name, auto& value) {
    const space::Json* found = space::member_of(json, name);
    return found != nullptr && read(*found, value);
  };
  return member("name", metric.name) && member("unit", metric.unit) && member("value", metric.value);
}

/** Reads the metrics, which only trials with metrics have. */
bool read_metrics(const space::Json& json, std::vector<trial::Metric>& metrics) {
  const space::Json* list = space::member_of(json, "metrics");
  if (list == nullptr) return true;
  if (!list->is_array() || list->size() > trial::max_metrics) return false;
  for (const space::Json& item : *list)
    if (!read(item, metrics.emplace_back())) return false;
  return trial::plausible_metrics(metrics);
}

constexpr std::string_view probe_version_key = "probe_version";
constexpr std::string_view usual_compute_key = "usual_compute_probe_seconds";
constexpr std::string_view usual_memory_key = "usual_memory_probe_seconds";

/** Reads the members that exist only for GPU kernels, for trials of a fleet, or for trials with probes. */
Status read_optional_members(const space::Json& json, trial::Measurement& measurement,
                             std::string_view what) {
  if (const space::Json* found = space::member_of(json, "resources"))
    measurement.resources = TRY(resources_from_json(*found, what));
  if (const space::Json* log = space::member_of(json, "build_log"); log && !read(*log, measurement.build_log))
    return unusable(what, "build_log");
  if (const space::Json* worker = space::member_of(json, "worker");
      worker && !read(*worker, measurement.worker))
    return unusable(what, "worker");
  if (!read_metrics(json, measurement.metrics)) return unusable(what, "metrics");
  std::string_view wrong;
  trial::for_each_field<trial::probe_fields, &trial::FieldFacts::json>([&](auto field) {
    double& seconds = trial::value_in(field, measurement);
    const space::Json* found = space::member_of(json, field.facts.key);
    if (found && !(read(*found, seconds) && trial::plausible(field, seconds))) wrong = field.facts.key;
  });
  if (!wrong.empty()) return unusable(what, wrong);
  return {};
}

/** Reads the usual times of the speed probe, which sessions of earlier versions do not have. */
std::string_view read_usual_probe(const space::Json& json, store::SessionRecord& record) {
  const space::Json* version = space::member_of(json, probe_version_key);
  if (!version) return {};
  if (!read(*version, record.probe_version) || record.probe_version < 1) return probe_version_key;
  const std::array times{std::pair{usual_compute_key, &record.usual_probe.compute},
                         std::pair{usual_memory_key, &record.usual_probe.memory}};
  for (const auto& [key, seconds] : times) {
    const space::Json* found = space::member_of(json, key);
    if (!found || !read(*found, *seconds) || !trial::plausible_seconds(*seconds) || *seconds <= 0) return key;
  }
  return {};
}

constexpr std::size_t state_count = 4;
constexpr std::size_t kind_count = 4;

}  // namespace

nlohmann::ordered_json session_record_to_json(const store::SessionRecord& record,
                                              const store::SessionAnnotation& annotation) {
  Writer writer;
  store::SessionRecord copy = record;
  store::SessionAnnotation notes = annotation;
  writer.json["kind"] = store::to_string(record.kind);
  visit_record(copy, notes, writer);
  if (!record.origin.empty()) writer("origin", record.origin);
  if (!record.project_json.empty()) writer("project", EmbeddedJson{&copy.project_json});
  if (record.usual_probe.known()) {
    writer(probe_version_key, record.probe_version);
    writer(usual_compute_key, record.usual_probe.compute);
    writer(usual_memory_key, record.usual_probe.memory);
  }
  return std::move(writer.json);
}

Result<StoredRecord> session_record_from_json(const nlohmann::json& json) {
  StoredRecord stored;
  Reader reader{json};
  visit_record(stored.record, stored.annotation, reader);
  const auto kind = enum_of<store::SessionKind>(json, "kind", kind_count);
  if (!kind) reader.wrong = "kind";
  const space::Json* origin = space::member_of(json, "origin");
  if (origin && !read(*origin, stored.record.origin)) reader.wrong = "origin";
  const space::Json* project = space::member_of(json, "project");
  if (project && !read(*project, EmbeddedJson{&stored.record.project_json})) reader.wrong = "project";
  if (const std::string_view wrong = read_usual_probe(json, stored.record); !wrong.empty())
    reader.wrong = wrong;
  if (!reader.wrong.empty()) return unusable("the session", reader.wrong);
  stored.record.kind = *kind;
  return stored;
}

nlohmann::ordered_json session_status_to_json(const store::SessionStatus& status) {
  OrderedJson json = write_fields(status);
  json["state"] = store::to_string(status.state);
  return json;
}

Result<store::SessionStatus> session_status_from_json(const nlohmann::json& json) {
  Result<store::SessionStatus> status = read_fields<store::SessionStatus>(json, "the status");
  const auto state = enum_of<store::SessionState>(json, "state", state_count);
  if (!state) return unusable("the status", "state");
  if (status) status->state = *state;
  return status;
}

nlohmann::ordered_json trial_to_json(const trial::Trial& trial, const space::SearchSpace& space) {
  OrderedJson json = write_fields(trial);
  if (trial.measurement.resources) json["resources"] = write_fields(*trial.measurement.resources);
  if (!trial.measurement.build_log.empty()) json["build_log"] = write(trial.measurement.build_log);
  if (!trial.measurement.worker.empty()) json["worker"] = write(trial.measurement.worker);
  if (trial::has_probes(trial.measurement))
    trial::for_each_field<trial::probe_fields, &trial::FieldFacts::json>(
        [&](auto field) { json[std::string(field.facts.key)] = write(trial::value_in(field, trial)); });
  for (const trial::Metric& metric : trial.measurement.metrics) json["metrics"].push_back(write(metric));
  json["configuration"] = OrderedJson::parse(space.configuration_to_json(trial.configuration));
  return json;
}

Result<trial::Trial> trial_from_json(const nlohmann::json& json, const space::SearchSpace& space) {
  trial::Trial trial = TRY(read_fields<trial::Trial>(json, "a trial"));
  const std::string name = fmt::format("trial {}", trial.number);
  TRY(read_optional_members(json, trial.measurement, name));
  if (const std::string_view impossible = impossible_member(trial); !impossible.empty())
    return unusable(name, impossible);
  if (!space.contains(trial.configuration))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the configuration of trial {} is not in the file's space", trial.number),
                "export the session again with --format json");
  const space::Json* values = space::member_of(json, "configuration");
  if (values && *values != space::parse_json(space.configuration_to_json(trial.configuration)))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the configuration of trial {} contradicts its indices", trial.number),
                "remove \"configuration\", or give the indices of these values");
  return trial;
}

nlohmann::ordered_json confirmation_to_json(const trial::Confirmation& confirmation) {
  return write_fields(confirmation);
}

Result<trial::Confirmation> confirmation_from_json(const nlohmann::json& json) {
  Result<trial::Confirmation> confirmation = read_fields<trial::Confirmation>(json, "a confirmation");
  if (confirmation && !std::ranges::all_of(confirmation->samples_seconds, trial::plausible_seconds))
    return unusable("a confirmation", "samples_seconds");
  return confirmation;
}

nlohmann::ordered_json series_to_json(const store::StoredSeries& series) { return write_fields(series); }

Result<store::StoredSeries> series_from_json(const nlohmann::json& json) {
  return read_fields<store::StoredSeries>(json, "a value of a series");
}

nlohmann::ordered_json interruption_to_json(const store::SessionInterruption& interruption) {
  return write_fields(interruption);
}

Result<store::SessionInterruption> interruption_from_json(const nlohmann::json& json) {
  return read_fields<store::SessionInterruption>(json, "an interruption");
}

nlohmann::ordered_json notice_to_json(const trial::SessionNotice& notice) { return write_fields(notice); }

Result<trial::SessionNotice> notice_from_json(const nlohmann::json& json) {
  return read_fields<trial::SessionNotice>(json, "a notice");
}

}  // namespace kernelscape::exchange
