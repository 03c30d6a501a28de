#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/predictor/features.h"
#include "core/predictor/file.h"
#include "core/space/knob_json.h"

namespace kernelscape::predictor {
namespace {

constexpr std::array<std::string_view, 3> part_texts = {"training", "validation", "test"};
constexpr std::int64_t max_whole = std::int64_t{1} << 53;

/** Reads members of one JSON object, and stores the first that is missing or has the wrong type. */
class DescriptionReader {
 public:
  explicit DescriptionReader(const space::Json& object) : object_(object) {}

  void read(const char* key, std::string& text) {
    const space::Json* value = space::member_of(object_, key);
    if (value && value->is_string())
      text = value->get<std::string>();
    else
      miss(key);
  }
  void read(const char* key, std::uint64_t& number) {
    const space::Json* value = space::member_of(object_, key);
    if (value && value->is_number_unsigned())
      number = value->get<std::uint64_t>();
    else
      miss(key);
  }
  template <std::integral Whole>
  void read(const char* key, Whole& number, std::int64_t most) {
    const space::Json* value = space::member_of(object_, key);
    const auto read = value ? space::integer_of(*value) : std::nullopt;
    if (read && *read >= 0 && *read <= most)
      number = static_cast<Whole>(*read);
    else
      miss(key);
  }
  void read(const char* key, double& number) {
    const space::Json* value = space::member_of(object_, key);
    if (value && value->is_number() && std::isfinite(value->get<double>()))
      number = value->get<double>();
    else
      miss(key);
  }
  /** Reads each item with `read(item)`, which returns whether the item is valid. */
  template <typename Read>
  void read_each(const char* key, const Read& read) {
    const space::Json* list = space::member_of(object_, key);
    if (!list || !list->is_array() || !std::ranges::all_of(*list, read)) miss(key);
  }

  void miss(const char* key) {
    if (!missing_) missing_ = key;
  }
  const std::optional<std::string>& missing() const { return missing_; }

 private:
  const space::Json& object_;
  std::optional<std::string> missing_;
};

space::Json regret_to_json(const RegretAt& regret) {
  return {{"measurements", regret.measurements}, {"predicted", regret.predicted}, {"random", regret.random}};
}

bool read_regret(const space::Json& json, RegretAt& regret) {
  DescriptionReader reader(json);
  reader.read("measurements", regret.measurements, max_whole);
  reader.read("predicted", regret.predicted);
  reader.read("random", regret.random);
  return !reader.missing();
}

space::Json template_to_json(const TemplateVersion& one) {
  return {{"name", one.name}, {"version", one.version}};
}

bool read_template(const space::Json& json, TemplateVersion& one) {
  DescriptionReader reader(json);
  reader.read("name", one.name);
  reader.read("version", one.version, std::numeric_limits<int>::max());
  return !reader.missing();
}

space::Json outcome_to_json(const TaskOutcome& outcome) {
  space::Json regret = space::Json::array();
  for (const RegretAt& one : outcome.regret) regret.push_back(regret_to_json(one));
  space::Json json{
      {"task", outcome.task},        {"part", part_texts[static_cast<std::size_t>(outcome.part)]},
      {"samples", outcome.samples},  {"kendall_tau", outcome.kendall_tau},
      {"regret", std::move(regret)}, {"best_fitness", outcome.best_fitness}};
  if (!outcome.template_name.empty()) json["template"] = outcome.template_name;
  return json;
}

bool read_outcome(const space::Json& json, TaskOutcome& outcome) {
  DescriptionReader reader(json);
  std::string part;
  reader.read("task", outcome.task);
  reader.read("part", part);
  reader.read("samples", outcome.samples, max_whole);
  reader.read("kendall_tau", outcome.kendall_tau);
  reader.read("best_fitness", outcome.best_fitness);
  if (json.contains("template")) reader.read("template", outcome.template_name);
  reader.read_each("regret", [&](const space::Json& one) {
    outcome.regret.emplace_back();
    return read_regret(one, outcome.regret.back());
  });
  const auto found = std::ranges::find(part_texts, part);
  if (reader.missing() || found == part_texts.end()) return false;
  outcome.part = static_cast<DataPart>(found - part_texts.begin());
  return true;
}

space::Json epoch_to_json(const TrainingEpoch& epoch) {
  return {{"epoch", epoch.epoch},
          {"training_loss", epoch.training_loss},
          {"validation_loss", epoch.validation_loss},
          {"validation_tau", epoch.validation_tau},
          {"seconds", epoch.seconds}};
}

bool read_epoch_json(const space::Json& json, TrainingEpoch& epoch) {
  DescriptionReader reader(json);
  reader.read("epoch", epoch.epoch, max_whole);
  reader.read("training_loss", epoch.training_loss);
  reader.read("validation_loss", epoch.validation_loss);
  reader.read("validation_tau", epoch.validation_tau);
  reader.read("seconds", epoch.seconds);
  return !reader.missing();
}

space::Json shape_to_json(const File& file) {
  const surrogate::NetworkShape& network = file.shape.network;
  return {{"kind", to_string(file.shape.kind)},
          {"label", file.label_scale.logarithmic ? "log_fitness" : "fitness"},
          {"columns", network.columns},
          {"loops", network.tokens.loops},
          {"loop_columns", network.tokens.loop_columns},
          {"task_columns", network.tokens.task_columns},
          {"knob_columns", network.tokens.knob_columns},
          {"width", network.width},
          {"layers", network.layers},
          {"heads", network.heads},
          {"feed_forward", network.feed_forward}};
}

bool read_shape(const space::Json& json, File& file) {
  constexpr std::int64_t max_size = std::numeric_limits<std::int32_t>::max();
  DescriptionReader reader(json);
  std::string kind;
  std::string label;
  reader.read("kind", kind);
  reader.read("label", label);
  const std::optional<Kind> known = predictor_kind(kind);
  if (!known || (label != "log_fitness" && label != "fitness")) return false;
  file.label_scale.logarithmic = label == "log_fitness";
  file.shape.kind = *known;
  surrogate::NetworkShape& network = file.shape.network;
  network.kind = shape_of_rows(*known).kind;
  reader.read("columns", network.columns, max_size);
  reader.read("loops", network.tokens.loops, max_size);
  reader.read("loop_columns", network.tokens.loop_columns, max_size);
  reader.read("task_columns", network.tokens.task_columns, max_size);
  reader.read("knob_columns", network.tokens.knob_columns, max_size);
  reader.read("width", network.width, max_size);
  reader.read("layers", network.layers, max_size);
  reader.read("heads", network.heads, max_size);
  reader.read("feed_forward", network.feed_forward, max_size);
  return !reader.missing() && check_shape(file.shape).has_value();
}

/** Reads an object with the values of settings. */
bool read_settings(const space::Json& json, std::string& text) {
  text = space::to_text(json);
  return json.is_object() && std::ranges::all_of(json, [](const space::Json& value) {
           return space::value_from_json(value).has_value();
         });
}

void read_lists(DescriptionReader& reader, Description& description) {
  reader.read_each("sources", [&](const space::Json& source) {
    if (source.is_string()) description.sources.push_back(source.get<std::string>());
    return source.is_string();
  });
  reader.read_each("tasks", [&](const space::Json& task) {
    description.tasks.emplace_back();
    return read_outcome(task, description.tasks.back());
  });
  reader.read_each("epochs", [&](const space::Json& epoch) {
    description.epochs.emplace_back();
    return read_epoch_json(epoch, description.epochs.back());
  });
}

}  // namespace

std::vector<TemplateVersion> Description::templates() const {
  std::vector<TemplateVersion> all{{template_name, template_version}};
  all.insert(all.end(), more_templates.begin(), more_templates.end());
  return all;
}

std::string predictor_description_to_json(const File& file) {
  const Description& description = file.description;
  space::Json tasks = space::Json::array();
  for (const TaskOutcome& outcome : description.tasks) tasks.push_back(outcome_to_json(outcome));
  space::Json epochs = space::Json::array();
  for (const TrainingEpoch& epoch : description.epochs) epochs.push_back(epoch_to_json(epoch));
  space::Json json{{"name", description.name},
                   {"created_utc", description.created_utc},
                   {"program_version", description.program_version},
                   {"template", description.template_name},
                   {"template_version", description.template_version},
                   {"isa", description.isa},
                   {"device", description.device},
                   {"features", description.features},
                   {"features_version", description.features_version},
                   {"settings", space::parse_json(description.settings_json)},
                   {"seed", description.seed},
                   {"data_hash", description.data_hash},
                   {"sources", description.sources},
                   {"samples", description.samples},
                   {"tasks", std::move(tasks)},
                   {"epochs", std::move(epochs)},
                   {"best_epoch", description.best_epoch},
                   {"model", shape_to_json(file)}};
  // A predictor of one template has no such member, so that its bytes are those of earlier versions.
  for (const TemplateVersion& one : description.more_templates)
    json["more_templates"].push_back(template_to_json(one));
  return space::to_text(json);
}

Status read_predictor_description(std::string_view json, File& file) {
  const space::Json object = space::parse_json(json);
  if (!object.is_object() || !json.ends_with('}'))
    return fail(ErrorCode::Corrupt, "its description is not a JSON object");
  Description& description = file.description;
  constexpr std::int64_t max_version = std::numeric_limits<int>::max();
  DescriptionReader reader(object);
  reader.read("name", description.name);
  reader.read("created_utc", description.created_utc);
  reader.read("program_version", description.program_version);
  reader.read("template", description.template_name);
  reader.read("template_version", description.template_version, max_version);
  reader.read("isa", description.isa);
  reader.read("device", description.device);
  reader.read("features", description.features);
  reader.read("features_version", description.features_version, max_version);
  reader.read("seed", description.seed);
  reader.read("data_hash", description.data_hash);
  reader.read("samples", description.samples, max_whole);
  reader.read("best_epoch", description.best_epoch, max_whole);
  const space::Json* settings = space::member_of(object, "settings");
  if (!settings || !read_settings(*settings, description.settings_json)) reader.miss("settings");
  read_lists(reader, description);
  const space::Json* model = space::member_of(object, "model");
  if (!model || !read_shape(*model, file) || features_of(file.shape.kind) != description.features)
    reader.miss("model");
  if (object.contains("more_templates")) {
    reader.read_each("more_templates", [&](const space::Json& one) {
      description.more_templates.emplace_back();
      return read_template(one, description.more_templates.back());
    });
  }
  if (reader.missing())
    return fail(ErrorCode::Corrupt, fmt::format("its description has no valid \"{}\"", *reader.missing()));
  return {};
}

}  // namespace kernelscape::predictor
