#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/base/file.h"
#include "core/base/foreign_file.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/study/study.h"
#include "core/study/text_watch.h"
#include "core/task/json_reading.h"
#include "core/task/network.h"

namespace kernelscape::study {
namespace {

constexpr std::uintmax_t largest_study_bytes = 16 << 20;
constexpr std::int64_t max_multiplicity = 1'000'000;

std::unexpected<Error> wrong_text(std::string message, std::string hint) {
  return fail(ErrorCode::InvalidArgument, std::move(message), std::move(hint));
}

/** Reads the members of one object, each with its key in errors. Keeps the first error. */
class MemberReader {
 public:
  MemberReader(const nlohmann::json& object, std::string what) : object_(object), what_(std::move(what)) {}

  void text(const char* key, std::string& target) {
    read(key, "a text", [&](const nlohmann::json& value) {
      if (!value.is_string()) return false;
      target = value.get<std::string>();
      return true;
    });
  }
  void boolean(const char* key, bool& target) {
    read(key, "true or false", [&](const nlohmann::json& value) {
      if (!value.is_boolean()) return false;
      target = value.get<bool>();
      return true;
    });
  }
  template <typename Integer>
  void whole(const char* key, Integer minimum, Integer maximum, Integer& target) {
    read(key, fmt::format("a whole number from {} to {}", minimum, maximum),
         [&](const nlohmann::json& value) {
           if (!value.is_number_integer()) return false;
           const bool fits = value.is_number_unsigned() ? std::in_range<Integer>(value.get<std::uint64_t>())
                                                        : std::in_range<Integer>(value.get<std::int64_t>());
           if (!fits || value.get<Integer>() < minimum || value.get<Integer>() > maximum) return false;
           target = value.get<Integer>();
           return true;
         });
  }
  void number(const char* key, double& target) {
    read(key, "a number of at least 0", [&](const nlohmann::json& value) {
      if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0) return false;
      target = value.get<double>();
      return true;
    });
  }
  void texts(const char* key, std::vector<std::string>& target) {
    read(key, "a list of texts that is not empty", [&](const nlohmann::json& value) {
      if (!value.is_array() || value.empty()) return false;
      if (!std::ranges::all_of(value, [](const nlohmann::json& item) { return item.is_string(); }))
        return false;
      target = value.get<std::vector<std::string>>();
      return true;
    });
  }
  template <typename Reader>
  void read(const char* key, const std::string& expected, Reader reader) {
    const auto found = object_.find(key);
    if (found == object_.end() || error_ || reader(*found)) return;
    error_ = wrong_text(fmt::format("\"{}\" of {} is {}", key, what_, shortened(*found)), "write " + expected)
                 .error();
  }

  Status status() const { return error_ ? Status(std::unexpected(*error_)) : Status(); }

 private:
  static std::string shortened(const nlohmann::json& value) {
    constexpr std::size_t most = 60;
    std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return text.size() <= most ? text : text.substr(0, most) + "...";
  }

  const nlohmann::json& object_;
  std::string what_;
  std::optional<Error> error_;
};

/** Returns a setting's value as written on a command line. */
std::optional<std::string> setting_text(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  return std::nullopt;
}

/** Reads the object under "measuring" over `base`. */
Result<trial::MeasureOptions> read_measuring(const nlohmann::json& object, const std::string& what,
                                             const trial::MeasureOptions& base) {
  const auto found = object.find("measuring");
  if (found == object.end()) return base;
  const std::string of = fmt::format("\"measuring\" of {}", what);
  TRY(task::check_object(*found, of, trial::measure_option_names()));
  Result<trial::MeasureOptions> read = trial::measure_options_from_json(found->dump(), base);
  if (!read) {
    return wrong_text(fmt::format("{}: {}", of, read.error().message),
                      read.error().hint.empty() ? R"(write numbers, true and false, such as {"threads": 1})"
                                                : read.error().hint);
  }
  return read;
}

/** Reads how the tuner's own time counts, for the study or a tuner; nullopt if the key is missing. */
Result<std::optional<trial::SearchTime>> read_search_time(const nlohmann::json& object,
                                                          std::string_view what) {
  const auto found = object.find("search_time");
  if (found == object.end()) return std::nullopt;
  const std::optional<std::string> text = setting_text(*found);
  const Result<trial::SearchTime> read = trial::parse_search_time(text.value_or(found->dump()));
  if (!read) {
    return wrong_text(fmt::format("\"search_time\" of {}: {}", what, read.error().message),
                      R"(write "measured", "none", or seconds per candidate)");
  }
  return *read;
}

/** @param study measuring options of the study, which those of the arm override */
Result<Arm> read_arm(const nlohmann::json& value, std::size_t position, const trial::MeasureOptions& study) {
  if (value.is_string()) return parse_arm(value.get<std::string>());
  const std::string what = fmt::format("tuner {}", position + 1);
  TRY(task::check_object(value, what,
                         {"tuner", "name", "settings", "measuring", "batch", "search_time", "warm_start",
                          "learn_from", "chain_tasks", "control", "respect_limits"}));
  Arm arm;
  MemberReader reader(value, what);
  reader.text("tuner", arm.tuner);
  reader.text("name", arm.name);
  if (const auto batch = value.find("batch");
      batch != value.end() && *batch == nlohmann::json(builders_batch)) {
    arm.batch = tuner::batch_of_builders;
  } else {
    reader.whole<std::int64_t>("batch", 0, max_batch, arm.batch);
  }
  reader.whole<std::int64_t>("warm_start", 0, std::numeric_limits<std::int64_t>::max(), arm.warm_start);
  reader.texts("learn_from", arm.learn_from);
  reader.boolean("chain_tasks", arm.chain_tasks);
  reader.boolean("control", arm.control);
  if (value.contains("respect_limits")) reader.boolean("respect_limits", arm.respect_limits.emplace());
  reader.read("settings", R"(an object of numbers, texts, true and false: {"population": 50})",
              [&](const nlohmann::json& settings) {
                if (!settings.is_object()) return false;
                for (const auto& [name, setting] : settings.items()) {
                  const std::optional<std::string> text = setting_text(setting);
                  if (!text) return false;
                  arm.settings[name] = *text;
                }
                return true;
              });
  TRY(reader.status());
  if (arm.tuner.empty())
    return wrong_text(fmt::format("{} has no \"tuner\"", what), "name one; `kernelscape tuners` lists them");
  if (arm.name.empty()) arm.name = default_arm_name(arm.tuner, arm.settings, arm.batch);
  arm.search_time = TRY(read_search_time(value, what));
  const trial::MeasureOptions measuring = TRY(read_measuring(value, what, study));
  if (measuring != study) arm.measuring = measuring;
  return arm;
}

Result<Task> read_task(const nlohmann::json& value, std::size_t position,
                       const std::filesystem::path& folder) {
  Task task;
  const std::string what = fmt::format("task {}", position + 1);
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    (session::is_recorded_target(text) ? task.target : task.task) = text;
  } else {
    TRY(task::check_object(value, what,
                           {"task", "target", "template", "restrict", "optional", "multiplicity"}));
    MemberReader reader(value, what);
    reader.text("task", task.task);
    reader.text("target", task.target);
    reader.text("template", task.template_name);
    reader.texts("restrict", task.restrictions);
    reader.boolean("optional", task.optional);
    reader.whole<std::int64_t>("multiplicity", 1, max_multiplicity, task.multiplicity);
    TRY(reader.status());
  }
  task.target = resolve_recorded_target(task.target, folder);
  return task;
}

/** Reads every item of the list under `key` with `read(item, position)`. */
template <typename Item, typename Reader>
Status read_list(const nlohmann::json& object, const char* key, std::vector<Item>& target, Reader read) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (!found->is_array() || found->empty()) {
    return wrong_text(fmt::format("\"{}\" of the study is not a list, or is empty", key),
                      "write a list in square brackets, or remove the key");
  }
  for (std::size_t position = 0; position < found->size(); ++position)
    target.push_back(TRY(read(found->at(position), position)));
  return {};
}

Status read_purpose(const nlohmann::json& object, Definition& study) {
  const auto found = object.find("purpose");
  if (found == object.end()) return {};
  for (const Purpose purpose :
       {Purpose::Comparison, Purpose::DataSet, Purpose::Network, Purpose::Collection}) {
    if (!found->is_string() || found->get<std::string>() != to_string(purpose)) continue;
    study.purpose = purpose;
    return {};
  }
  return wrong_text(fmt::format("\"purpose\" of the study is {}", base::one_line(found->dump(), 60)),
                    R"(write "comparison", "data-set", "network" or "collection")");
}

/** Returns false if the value is not a model's file. */
bool read_model_source(const nlohmann::json& object, std::optional<ModelSource>& target) {
  if (!object.is_object() || !object.contains("path") || !object["path"].is_string()) return false;
  ModelSource source{object["path"].get<std::string>()};
  for (const auto& [key, value] : object.items())
    if (key != "path" && key != "dimensions") return false;
  const nlohmann::json dimensions = object.value("dimensions", nlohmann::json::object());
  if (source.file.empty() || !dimensions.is_object()) return false;
  for (const auto& [name, length] : dimensions.items()) {
    if (!length.is_number_integer()) return false;
    source.dimensions[name] = length.get<std::int64_t>();
  }
  target = std::move(source);
  return true;
}

Status read_numbers(const nlohmann::json& object, Definition& study) {
  constexpr std::int64_t max_trials = 1'000'000'000'000;
  MemberReader reader(object, "the study");
  reader.text("name", study.name);
  reader.text("about", study.about);
  reader.text("network", study.network);
  reader.text("scheduler", study.scheduler);
  reader.read("objective", R"("layers" or "latency")", [&](const nlohmann::json& value) {
    const Result<NetworkObjective> objective =
        parse_network_objective(value.is_string() ? value.get<std::string>() : std::string());
    if (objective) study.objective = *objective;
    return objective.has_value();
  });
  reader.read("model", "a network as `kernelscape network save` writes it", [&](const nlohmann::json& model) {
    const Result<task::WholeNetwork> network =
        task::whole_network_from_json(model.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    if (network) study.network_json = task::whole_network_to_json(*network);
    return network.has_value();
  });
  reader.read("model_file", R"(a path, and the lengths of dimensions, as {"path": ..., "dimensions": {...}})",
              [&](const nlohmann::json& source) { return read_model_source(source, study.model_source); });
  reader.text("baseline", study.baseline);
  reader.whole("repeats", 1, 10'000, study.repeats);
  reader.whole<std::int64_t>("trials", 0, max_trials, study.budget.trials);
  reader.whole<std::int64_t>("patience", 0, max_trials, study.budget.patience);
  reader.whole<std::uint64_t>("seed", 0, std::numeric_limits<std::uint64_t>::max(), study.seed);
  reader.number("minutes", study.budget.minutes);
  reader.number("target_gflops", study.budget.target_gflops);
  reader.whole("rules", first_study_rules, newest_study_rules, study.rules);
  reader.whole("jobs", 0, max_replays_at_once, study.jobs);
  reader.whole("layers_at_once", 1, max_layers_at_once, study.layers_at_once);
  reader.whole<std::int64_t>("first_trials", 0, max_batch, study.first_trials);
  reader.boolean("paired_starts", study.paired_starts);
  reader.boolean("controls", study.controls);
  reader.texts("analyse", study.analysed);
  return reader.status();
}

/** Returns the options that differ from `base`, or null if none does. */
nlohmann::json measuring_to_json(const trial::MeasureOptions& options, const trial::MeasureOptions& base) {
  nlohmann::json differences = nlohmann::json::parse(trial::measure_option_differences(options, base));
  return differences.empty() ? nlohmann::json() : differences;
}

nlohmann::json arm_to_json(const Arm& arm, const trial::MeasureOptions& study) {
  const nlohmann::json measuring = measuring_to_json(arm.measuring.value_or(study), study);
  nlohmann::json object = {{"tuner", arm.tuner}, {"name", arm.name}};
  const std::size_t plain = object.size();
  if (!arm.settings.empty()) object["settings"] = arm.settings;
  if (!measuring.is_null()) object["measuring"] = measuring;
  if (arm.batch > 0) object["batch"] = arm.batch;
  if (arm.batch == tuner::batch_of_builders) object["batch"] = builders_batch;
  if (arm.respect_limits) object["respect_limits"] = *arm.respect_limits;
  if (arm.search_time) object["search_time"] = trial::to_string(*arm.search_time);
  if (arm.warm_start > 0) object["warm_start"] = arm.warm_start;
  if (!arm.learn_from.empty()) object["learn_from"] = arm.learn_from;
  if (arm.chain_tasks) object["chain_tasks"] = true;
  if (arm.control) object["control"] = true;
  return object.size() == plain && arm.name == arm.tuner ? nlohmann::json(arm.tuner) : object;
}

nlohmann::json study_task_to_json(const Task& task) {
  nlohmann::json object = {{"target", task.target}};
  if (!task.task.empty()) object["task"] = task.task;
  if (!task.template_name.empty()) object["template"] = task.template_name;
  if (!task.restrictions.empty()) object["restrict"] = task.restrictions;
  if (task.optional) object["optional"] = true;
  if (task.multiplicity != 1) object["multiplicity"] = task.multiplicity;
  return object;
}

nlohmann::json model_source_to_json(const ModelSource& source) {
  nlohmann::json object = {{"path", source.file}};
  if (!source.dimensions.empty()) object["dimensions"] = source.dimensions;
  return object;
}

template <typename Item, typename Writer>
nlohmann::json list_to_json(const std::vector<Item>& items, Writer item_to_json) {
  nlohmann::json list = nlohmann::json::array();
  for (const Item& item : items) list.push_back(item_to_json(item));
  return list;
}

}  // namespace

Result<Definition> study_from_json(std::string_view text, const std::filesystem::path& folder,
                                   int missing_rules) {
  const nlohmann::json object = TRY(parse_study_text(text));
  TRY(task::check_object(
      object, "the study",
      {"name",     "about",          "purpose",      "network",       "tuners",   "tasks", "analyse",
       "repeats",  "trials",         "minutes",      "target_gflops", "patience", "seed",  "search_time",
       "baseline", "measuring",      "rules",        "paired_starts", "controls", "jobs",  "scheduler",
       "model",    "layers_at_once", "first_trials", "model_file",    "objective"}));
  Definition study;
  study.rules = missing_rules;
  const trial::MeasureOptions measuring = TRY(read_measuring(object, "the study", {}));
  study.measuring = measuring;
  TRY(read_purpose(object, study));
  TRY(read_numbers(object, study));
  TRY(read_list(object, "tuners", study.arms, [&](const nlohmann::json& value, std::size_t position) {
    return read_arm(value, position, measuring);
  }));
  TRY(read_list(object, "tasks", study.tasks, [&](const nlohmann::json& value, std::size_t position) {
    return read_task(value, position, folder);
  }));
  study.search_time = TRY(read_search_time(object, "the study")).value_or(study.search_time);
  for (std::string& file : study.analysed) file = resolve_file(file, folder).string();
  for (Arm& arm : study.arms)
    for (std::string& source : arm.learn_from) source = resolve_recorded_target(source, folder);
  TRY(check_study(study));
  return study;
}

std::string study_to_json(const Definition& study) {
  if (study.purpose == Purpose::Collection) return store::collection_to_json(study.name, study.about);
  nlohmann::ordered_json object;
  object["name"] = study.name;
  if (!study.about.empty()) object["about"] = study.about;
  if (study.purpose != Purpose::Comparison) object["purpose"] = to_string(study.purpose);
  if (!study.network.empty()) object["network"] = study.network;
  if (!study.scheduler.empty()) object["scheduler"] = study.scheduler;
  if (study.objective != NetworkObjective::Layers) object["objective"] = to_string(study.objective);
  if (study.layers_at_once > 1) object["layers_at_once"] = study.layers_at_once;
  if (study.first_trials > 0) object["first_trials"] = study.first_trials;
  if (!study.network_json.empty()) object["model"] = nlohmann::json::parse(study.network_json);
  if (study.model_source) object["model_file"] = model_source_to_json(*study.model_source);
  if (!study.analysed.empty()) {
    object["analyse"] = study.analysed;
  } else {
    object["tuners"] =
        list_to_json(study.arms, [&](const Arm& arm) { return arm_to_json(arm, study.measuring); });
    object["tasks"] = list_to_json(study.tasks, study_task_to_json);
    object["repeats"] = study.repeats;
    object["trials"] = study.budget.trials;
    if (study.budget.minutes > 0) object["minutes"] = study.budget.minutes;
    if (study.budget.target_gflops > 0) object["target_gflops"] = study.budget.target_gflops;
    if (study.budget.patience > 0) object["patience"] = study.budget.patience;
    object["seed"] = study.seed;
    object["search_time"] = trial::to_string(study.search_time);
    if (!study.baseline.empty()) object["baseline"] = study.baseline;
    if (const nlohmann::json measuring = measuring_to_json(study.measuring, {}); !measuring.is_null())
      object["measuring"] = measuring;
    if (study.paired_starts) object["paired_starts"] = true;
    if (!study.controls) object["controls"] = false;
    if (study.jobs > 0) object["jobs"] = study.jobs;
  }
  object["rules"] = study.rules;
  return object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

bool is_study_text(std::string_view text) { return study_from_json(text, {}).has_value(); }

Result<Definition> load_study(const std::filesystem::path& file) {
  const auto named = [&](Error error) {
    if (!error.message.contains(file.string())) error.message = file.string() + ": " + error.message;
    return std::unexpected(std::move(error));
  };
  TRY(base::check_no_foreign_file(file));
  const Result<std::string> text = base::read_text_file(file, largest_study_bytes);
  if (!text) return named(text.error());
  std::error_code unknown;
  Result<Definition> study = study_from_json(*text, std::filesystem::absolute(file, unknown).parent_path());
  if (!study) return named(study.error());
  return study;
}

}  // namespace kernelscape::study
