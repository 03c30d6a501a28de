#include "core/session/setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text.h"
#include "core/session/learnt_sources.h"
#include "core/session/version.h"
#include "core/tuner/declaration.h"
#include "core/tuner/encoded_tuner.h"

namespace kernelscape::session {
namespace {

using nlohmann::json;

std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

json setting_to_json(const tuner::SettingValue& value) {
  return std::visit([](const auto& held) { return json(held); }, value);
}

/** As a user would write it on the command line. */
std::string setting_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return dump(value);
}

void compare(std::vector<std::string>& differences, std::string_view what, const std::string& stored,
             const std::string& now) {
  if (stored != now) differences.push_back(fmt::format("{}: {} when it was made, {} now", what, stored, now));
}

/** Fields of two JSON objects that differ; texts that are no objects are compared as a whole. */
void compare_fields(std::vector<std::string>& differences, std::string_view what, const std::string& stored,
                    const std::string& now) {
  const json before = json::parse(stored, nullptr, false);
  const json after = json::parse(now, nullptr, false);
  if (!before.is_object() || !after.is_object()) {
    compare(differences, what, stored, now);
    return;
  }
  json names = before;
  names.update(after);
  for (const auto& [name, unused] : names.items()) {
    const json old_value = before.contains(name) ? before.at(name) : json("nothing");
    const json new_value = after.contains(name) ? after.at(name) : json("nothing");
    compare(differences, fmt::format("{} {}", what, name), setting_text(old_value), setting_text(new_value));
  }
}

void compare_tasks(std::vector<std::string>& differences, const store::SessionRecord& record,
                   const task::Task& task) {
  const Result<task::Task> stored = task::task_from_json(record.task_json);
  if (!stored) {
    differences.push_back("task: " + describe(stored.error()));
  } else if (*stored != task) {
    compare(differences, "task", stored->text, task.text);
    if (stored->text == task.text) differences.emplace_back("task: its definition has changed");
  }
}

/** Returns the settings that the session used, including settings that did not exist when it was stored. */
std::string settings_of(const store::SessionRecord& record) {
  const Result<const tuner::Declaration*> tuner = tuner::find_tuner(record.tuner);
  if (!tuner) return record.settings_json;
  const Result<tuner::SettingValues> settings = settings_from_json(**tuner, record.settings_json);
  return settings ? settings_to_json(*settings) : record.settings_json;
}

constexpr const char* start_key = "start";  ///< of an entry of the history

std::unexpected<Error> broken_history() {
  return fail(ErrorCode::Corrupt, "the session's stored history is damaged",
              "the session can be viewed, not resumed");
}

/** The objects that a stored history lists. */
Result<json> history_entries(std::string_view text) {
  if (text.empty()) return json::array();
  json list = json::parse(text, nullptr, false);
  const bool objects =
      list.is_array() && std::ranges::all_of(list, [](const json& entry) { return entry.is_object(); });
  if (!objects) return broken_history();
  return list;
}

std::string describe_space(const space::SearchSpace& space) {
  return fmt::format("{} configurations of {} knobs", base::to_string(space.size()), space.knobs().size());
}

void compare_spaces(std::vector<std::string>& differences, const store::SessionRecord& record,
                    const space::SearchSpace& space) {
  if (record.space_fingerprint == space.fingerprint()) return;
  const Result<space::SearchSpace> stored = space::space_from_json(record.space_json);
  differences.push_back(
      stored ? fmt::format("search space: {} when it was made, {} now; values or constraints differ",
                           describe_space(*stored), describe_space(space))
             : "search space: " + describe(stored.error()));
}

}  // namespace

std::string settings_to_json(const tuner::SettingValues& settings) {
  json object = json::object();
  for (const auto& [name, value] : settings) {
    // Sessions of before there were two encodings say nothing of it, and are resumed as they are.
    if (name == tuner::encoding_setting && space::to_string(value) == tuner::factorization_encoding) continue;
    object[name] = setting_to_json(value);
  }
  return dump(object);
}

Result<tuner::SettingValues> settings_from_json(const tuner::Declaration& tuner, std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) {
    return fail(ErrorCode::Corrupt, fmt::format("the stored settings of tuner {} are damaged", tuner.name),
                "the session can be viewed, not resumed");
  }
  std::map<std::string, std::string> texts = tuner::earlier_settings(tuner);
  for (const auto& [name, value] : object.items()) texts[name] = setting_text(value);
  return tuner::parse_settings(tuner, texts);
}

std::string history_to_json(const std::vector<HistorySource>& sources,
                            const std::vector<space::Configuration>& starts, const space::SearchSpace& space,
                            const std::vector<LearntSource>& learnt) {
  json list = json::array();
  for (const HistorySource& source : sources) {
    json entry = {{"session", source.session}, {"trials", source.trials}};
    if (source.by_features) entry["features"] = true;
    list.push_back(std::move(entry));
  }
  for (const space::Configuration& start : starts) {
    json entry = json::object();
    entry[start_key] = json::parse(space.configuration_to_json(start));
    list.push_back(std::move(entry));
  }
  for (const LearntSource& source : learnt) {
    json identity = {{"sha256", source.sha256}};
    if (source.file.empty()) {
      identity["session"] = source.session;
      identity["trials"] = source.trials;
    } else {
      identity["file"] = source.file;
    }
    list.push_back({{learn_key, std::move(identity)}});
  }
  return dump(list);
}

Result<std::vector<HistorySource>> history_from_json(std::string_view text) {
  std::vector<HistorySource> sources;
  for (const json& entry : TRY(history_entries(text))) {
    if (entry.contains(start_key) || entry.contains(learn_key)) continue;
    if (!entry.contains("session") || !entry.contains("trials")) return broken_history();
    if (!entry["session"].is_number_integer() || !entry["trials"].is_number_integer())
      return broken_history();
    const bool by_features = entry.contains("features") && entry["features"] == true;
    sources.push_back(
        {entry["session"].get<store::SessionId>(), entry["trials"].get<std::int64_t>(), by_features});
  }
  return sources;
}

Result<std::vector<LearntSource>> learnt_sources_from_json(std::string_view text) {
  std::vector<LearntSource> sources;
  for (const json& entry : TRY(history_entries(text))) {
    if (!entry.contains(learn_key)) continue;
    const json& identity = entry[learn_key];
    if (!identity.is_object() || !identity.contains("sha256") || !identity["sha256"].is_string())
      return broken_history();
    LearntSource source{.sha256 = identity["sha256"].get<std::string>()};
    if (identity.contains("file") && identity["file"].is_string()) {
      source.file = identity["file"].get<std::string>();
    } else {
      if (!identity.contains("session") || !identity["session"].is_number_integer()) return broken_history();
      if (!identity.contains("trials") || !identity["trials"].is_number_integer()) return broken_history();
      source.session = identity["session"].get<store::SessionId>();
      source.trials = identity["trials"].get<std::int64_t>();
    }
    sources.push_back(std::move(source));
  }
  return sources;
}

Result<std::vector<space::Configuration>> starts_from_json(std::string_view text,
                                                           const space::SearchSpace& space) {
  std::vector<space::Configuration> starts;
  for (const json& entry : TRY(history_entries(text)))
    if (entry.contains(start_key))
      starts.push_back(TRY(space.configuration_from_json(dump(entry[start_key]))));
  return starts;
}

store::SessionRecord make_record(const Setup& setup) {
  store::SessionRecord record{
      .name = setup.name,
      .created_utc = {},
      .program_version = std::string(program_version),
      .task_name = setup.task.name,
      .task_json = task::task_to_json(setup.task),
      .target_name = setup.target.user_name(),
      .target_json = schedule::target_to_json(setup.target),
      .template_name = setup.template_name,
      .template_version = setup.template_version,
      .space_json = space::space_to_json(setup.space),
      .space_fingerprint = setup.space.fingerprint(),
      .tuner = setup.tuner,
      .settings_json = settings_to_json(setup.settings),
      .options_json = trial::measure_options_to_json(setup.options),
      .budget_json = trial::budget_plan_to_json(trial::make_budget_plan(setup.budget)),
      .seed = setup.seed,
      .batch_size = setup.batch_size,
      .history_json = history_to_json(setup.history_sources, setup.starts, setup.space, setup.learnt_sources),
      .real_measurements = setup.real_measurements,
      .origin = setup.origin};
  if (setup.project) {
    record.project_hash = project::content_hash(*setup.project);
    record.project_json = project::project_to_json(*setup.project);
  }
  return record;
}

std::vector<std::string> setup_differences(const store::SessionRecord& record, const Setup& setup) {
  const store::SessionRecord now = make_record(setup);
  std::vector<std::string> differences;
  compare_tasks(differences, record, setup.task);
  compare_fields(differences, "target", record.target_json, now.target_json);
  compare(differences, "template",
          fmt::format("{} version {}", record.template_name, record.template_version),
          fmt::format("{} version {}", now.template_name, now.template_version));
  if (record.project_hash != now.project_hash) differences.emplace_back("project: its content has changed");
  compare_spaces(differences, record, setup.space);
  compare(differences, "tuner", record.tuner, now.tuner);
  compare_fields(differences, "setting", settings_of(record), now.settings_json);
  compare_fields(differences, "measuring option", record.options_json, now.options_json);
  compare(differences, "seed", std::to_string(record.seed), std::to_string(now.seed));
  compare(differences, "batch size", std::to_string(record.batch_size), std::to_string(now.batch_size));
  compare(differences, "warm start", record.history_json, now.history_json);
  return differences;
}

}  // namespace kernelscape::session
