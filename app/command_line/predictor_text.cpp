#include "app/command_line/predictor_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/command_line/console.h"
#include "core/base/numbers.h"
#include "core/base/text.h"

namespace kernelscape::command_line {
namespace {

using nlohmann::json;

constexpr std::array outcome_parts = {predictor::DataPart::Test, predictor::DataPart::Validation,
                                      predictor::DataPart::Training};
constexpr std::array<std::int64_t, 4> shown_measurements = {1, 4, 16, 64};

std::string_view part_text(predictor::DataPart part) {
  switch (part) {
    case predictor::DataPart::Training:
      return "training";
    case predictor::DataPart::Validation:
      return "validation";
    case predictor::DataPart::Test:
      break;
  }
  return "test";
}

std::string tau_text(double tau) { return std::isfinite(tau) ? fmt::format("{:.3f}", tau) : "-"; }

/** "3.1 % (42 %)": the predictor's, and random's. */
std::string shown_regret(std::span<const predictor::RegretAt> regret, std::int64_t measurements) {
  const auto found = std::ranges::find(regret, measurements, &predictor::RegretAt::measurements);
  if (found == regret.end()) return "-";
  return fmt::format("{} ({})", base::percent_text(found->predicted), base::percent_text(found->random));
}

/** Cells for tau and the regrets, behind others. */
void add_worth(std::vector<std::string>& row, double tau, std::span<const predictor::RegretAt> regret) {
  row.push_back(tau_text(tau));
  for (const std::int64_t measurements : shown_measurements)
    row.push_back(shown_regret(regret, measurements));
}

std::vector<std::string> worth_header(std::vector<std::string> first) {
  first.emplace_back("tau");
  for (const std::int64_t measurements : shown_measurements)
    first.push_back(fmt::format("regret after {} (random)", measurements));
  return first;
}

std::int64_t samples_of(std::span<const predictor::TaskOutcome> outcomes, predictor::DataPart part) {
  std::int64_t samples = 0;
  for (const predictor::TaskOutcome& outcome : outcomes)
    samples += outcome.part == part ? outcome.samples : 0;
  return samples;
}

json known_or_null(double value) { return std::isfinite(value) ? json(value) : json(); }

json regret_list(std::span<const predictor::RegretAt> regret) {
  json list = json::array();
  for (const predictor::RegretAt& at : regret)
    list.push_back({{"measurements", at.measurements}, {"predicted", at.predicted}, {"random", at.random}});
  return list;
}

/** "training, epoch 12": of one that is not trained yet, how far it is. */
std::string shown_state(const study::KnownPredictor& predictor) {
  if (predictor.description || predictor.epochs.empty()) return predictor.state;
  return fmt::format("{}, epoch {}", predictor.state, predictor.epochs.back().epoch);
}

double test_tau(const study::KnownPredictor& predictor) {
  return predictor.description
             ? predictor::median_tau(predictor.description->tasks, predictor::DataPart::Test)
             : std::numeric_limits<double>::quiet_NaN();
}

json text_or_nothing(const std::string& text) { return text.empty() ? json() : json(text); }

/** What the file of a trained predictor says beside its name, a line for each. */
base::TerminalText description_text(const predictor::Description& description) {
  base::TerminalText text;
  for (const predictor::TemplateVersion& one : description.templates())
    text += base::write<base::Terminal>("  template    {} version {}, {} ({})\n", one.name, one.version,
                                        description.isa, description.device);
  text += base::write<base::Terminal>("  trained     {} by version {}, seed {}\n", description.created_utc,
                                      description.program_version, description.seed);
  text += base::write<base::Terminal>(
      "  on          {}: {} samples of {} tasks\n", base::join(description.sources, ", "),
      base::count_text(description.samples), study::count_tasks(description, predictor::DataPart::Training));
  text += base::write<base::Terminal>("  features    {} version {}\n", description.features,
                                      description.features_version);
  text += base::write<base::Terminal>("  settings    {}\n", message_text(description.settings_json));
  return text;
}

base::TerminalText epochs_text(std::span<const predictor::TrainingEpoch> epochs, std::int64_t best_epoch) {
  TextTable table({"epoch", "loss", "validation loss", "validation Kendall's tau", ""});
  for (const predictor::TrainingEpoch& epoch : epochs) {
    table.add({std::to_string(epoch.epoch), fmt::format("{:.4f}", epoch.training_loss),
               fmt::format("{:.4f}", epoch.validation_loss), tau_text(epoch.validation_tau),
               epoch.epoch == best_epoch ? "best" : ""});
  }
  return table.text();
}

}  // namespace

base::TerminalText parts_text(std::span<const predictor::TaskOutcome> outcomes) {
  TextTable table(worth_header({"part", "tasks", "samples"}));
  for (const predictor::DataPart part : outcome_parts) {
    const auto tasks = std::ranges::count(outcomes, part, &predictor::TaskOutcome::part);
    if (tasks == 0) continue;
    std::vector<std::string> row = {std::string(part_text(part)), std::to_string(tasks),
                                    std::to_string(samples_of(outcomes, part))};
    add_worth(row, predictor::median_tau(outcomes, part), predictor::median_regret(outcomes, part));
    table.add(row);
  }
  return table.text();
}

base::TerminalText held_out_text(std::span<const predictor::TaskOutcome> outcomes) {
  std::vector<predictor::TaskOutcome> held_out;
  std::ranges::copy_if(outcomes, std::back_inserter(held_out), [](const predictor::TaskOutcome& outcome) {
    return outcome.part != predictor::DataPart::Training;
  });
  std::ranges::stable_sort(held_out, {}, &predictor::TaskOutcome::kendall_tau);
  TextTable table(worth_header({"task", "part", "samples"}));
  for (const predictor::TaskOutcome& outcome : held_out) {
    const std::string& other = outcome.template_name;
    std::vector<std::string> row = {other.empty() ? outcome.task : outcome.task + ", " + other,
                                    std::string(part_text(outcome.part)), std::to_string(outcome.samples)};
    add_worth(row, outcome.kendall_tau, outcome.regret);
    table.add(row);
  }
  return table.text();
}

json parts_json(std::span<const predictor::TaskOutcome> outcomes) {
  json list = json::array();
  for (const predictor::DataPart part : outcome_parts) {
    const auto tasks = std::ranges::count(outcomes, part, &predictor::TaskOutcome::part);
    if (tasks == 0) continue;
    list.push_back({{"part", part_text(part)},
                    {"tasks", tasks},
                    {"samples", samples_of(outcomes, part)},
                    {"kendall_tau", known_or_null(predictor::median_tau(outcomes, part))},
                    {"regret", regret_list(predictor::median_regret(outcomes, part))}});
  }
  return list;
}

json task_outcome_json(const predictor::TaskOutcome& outcome) {
  json object{{"task", outcome.task},
              {"part", part_text(outcome.part)},
              {"samples", outcome.samples},
              {"kendall_tau", outcome.kendall_tau},
              {"regret", regret_list(outcome.regret)},
              {"best_gflops", outcome.best_fitness * 1e-9}};
  if (!outcome.template_name.empty()) object["template"] = outcome.template_name;
  return object;
}

json training_epoch_json(const predictor::TrainingEpoch& epoch) {
  return {{"epoch", epoch.epoch},
          {"training_loss", epoch.training_loss},
          {"validation_loss", epoch.validation_loss},
          {"validation_tau", epoch.validation_tau},
          {"seconds", epoch.seconds}};
}

base::TerminalText predictors_text(std::span<const study::KnownPredictor> predictors) {
  TextTable table({"predictor", "name", "template", "isa", "samples", "tasks", "test Kendall's tau", "state",
                   "hash", "made"});
  for (const study::KnownPredictor& predictor : predictors) {
    const predictor::Description* description = predictor.description.get();
    table.add({predictor.id ? std::to_string(*predictor.id) : "-", predictor.name, predictor.template_name,
               predictor.isa, description ? std::to_string(description->samples) : "-",
               description ? std::to_string(description->tasks.size()) : "-", tau_text(test_tau(predictor)),
               shown_state(predictor), predictor.hash.empty() ? "-" : predictor.hash, predictor.created_utc});
  }
  return table.text();
}

base::TerminalText predictor_details_text(const study::KnownPredictor& predictor) {
  base::TerminalText text =
      base::write<base::Terminal>("{} {}: {}\n", predictor.name, predictor.hash, shown_state(predictor));
  if (!predictor.reason.empty())
    text += base::write<base::Terminal>("  {}\n", message_text(predictor.reason));
  if (!predictor.origin.empty())
    text += base::write<base::Terminal>("  imported from {}\n", predictor.origin);
  const predictor::Description* description = predictor.description.get();
  if (description != nullptr) text += description_text(*description);
  if (!predictor.epochs.empty()) {
    const std::int64_t best = description != nullptr ? description->best_epoch : 0;
    text += base::write<base::Terminal>("\n{}", epochs_text(predictor.epochs, best));
  }
  if (description != nullptr) {
    text += base::write<base::Terminal>("\n{}\n{}", parts_text(description->tasks),
                                        held_out_text(description->tasks));
  }
  return text;
}

json predictor_json(const study::KnownPredictor& predictor) {
  const predictor::Description* description = predictor.description.get();
  return {{"predictor", predictor.id ? json(*predictor.id) : json()},
          {"name", predictor.name},
          {"template", text_or_nothing(predictor.template_name)},
          {"isa", text_or_nothing(predictor.isa)},
          {"samples", description != nullptr ? json(description->samples) : json()},
          {"tasks", description != nullptr ? json(description->tasks.size()) : json()},
          {"test_tau", known_or_null(test_tau(predictor))},
          {"epochs", predictor.epochs.size()},
          {"state", predictor.state},
          {"reason", predictor.reason},
          {"origin", predictor.origin},
          {"created_utc", predictor.created_utc},
          {"hash", text_or_nothing(predictor.hash)}};
}

json predictor_details_json(const study::KnownPredictor& predictor) {
  json object = predictor_json(predictor);
  object["epochs"] = json::array();
  for (const predictor::TrainingEpoch& epoch : predictor.epochs)
    object["epochs"].push_back(training_epoch_json(epoch));
  if (!predictor.description) return object;
  const predictor::Description& description = *predictor.description;
  const json settings = json::parse(description.settings_json, nullptr, false);
  object["template_version"] = description.template_version;
  object["device"] = description.device;
  object["features"] = description.features;
  object["features_version"] = description.features_version;
  object["program_version"] = description.program_version;
  object["settings"] = settings.is_discarded() ? json() : settings;
  object["seed"] = description.seed;
  object["sources"] = description.sources;
  object["best_epoch"] = description.best_epoch;
  object["parts"] = parts_json(description.tasks);
  object["tasks"] = json::array();
  for (const predictor::TaskOutcome& outcome : description.tasks)
    object["tasks"].push_back(task_outcome_json(outcome));
  return object;
}

}  // namespace kernelscape::command_line
