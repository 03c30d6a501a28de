#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_output.h"
#include "app/command_line/shared_options.h"
#include "core/base/text.h"
#include "core/tuner/tuner.h"

namespace kernelscape::command_line {
namespace {

using nlohmann::json;

struct TunersOptions {
  std::string name;
  bool json = false;
};

std::string_view type_name(const tuner::SettingValue& value) {
  constexpr std::array names = {"integer", "real", "boolean", "text"};
  return names[value.index()];
}

std::string range_text(const tuner::HyperparameterDeclaration& declared) {
  if (!declared.choices.empty()) return base::join(declared.choices, "|");
  if (declared.minimum && declared.maximum)
    return fmt::format("{} to {}", *declared.minimum, *declared.maximum);
  if (declared.minimum) return fmt::format("at least {}", *declared.minimum);
  if (declared.maximum) return fmt::format("at most {}", *declared.maximum);
  return "any";
}

void print_tuner(const tuner::Declaration& tuner) {
  print("{}: {}\n  source: {}; batch: {}\n", tuner.name, tuner.summary, tuner.source,
        tuner::own_batch_text(tuner));
  TextTable table({"  hyperparameter", "default", "range", "meaning"});
  for (const tuner::HyperparameterDeclaration& declared : tuner.hyperparameters) {
    const std::string unit = declared.unit.empty() ? "" : " " + declared.unit;
    table.add({"  " + declared.name, space::to_string(declared.default_value) + unit, range_text(declared),
               fmt::format("{} [{}]", declared.documentation, declared.source)});
  }
  print(table.text());
  print("\n");
}

json setting_to_json(const tuner::HyperparameterDeclaration& declared) {
  json object = {
      {"name", declared.name},
      {"type", type_name(declared.default_value)},
      {"default", std::visit([](const auto& value) { return json(value); }, declared.default_value)},
      {"minimum", nullptr},
      {"maximum", nullptr},
      {"choices", declared.choices},
      {"unit", declared.unit},
      {"documentation", declared.documentation},
      {"source", declared.source}};
  if (declared.minimum) object["minimum"] = *declared.minimum;
  if (declared.maximum) object["maximum"] = *declared.maximum;
  return object;
}

/** A number, or "builders". */
json batch_json(const tuner::Declaration& tuner) {
  if (tuner.default_batch == tuner::batch_of_builders) return tuner::own_batch_text(tuner);
  return tuner.default_batch;
}

void print_tuner_json(const tuner::Declaration& tuner) {
  json object = {{"name", tuner.name},
                 {"summary", tuner.summary},
                 {"source", tuner.source},
                 {"batch", batch_json(tuner)},
                 {"hyperparameters", json::array()}};
  for (const tuner::HyperparameterDeclaration& declared : tuner.hyperparameters) {
    object["hyperparameters"].push_back(setting_to_json(declared));
  }
  print_json_line(object);
}

}  // namespace

Command add_tuners_command(CLI::App& program) {
  auto options = std::make_shared<TunersOptions>();
  CLI::App* app = program.add_subcommand("tuners", "List the tuning algorithms with their hyperparameters");
  app->add_option("TUNER", options->name, "Show only this tuner");
  add_json_option(*app, options->json);
  return {app, [options]() -> Result<int> {
            if (!options->name.empty()) TRY(tuner::find_tuner(options->name));
            for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
              if (!options->name.empty() && tuner.name != options->name) continue;
              options->json ? print_tuner_json(tuner) : print_tuner(tuner);
            }
            return exit_done;
          }};
}

}  // namespace kernelscape::command_line
