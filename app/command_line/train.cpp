#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/predictor_text.h"
#include "app/command_line/shared_options.h"
#include "app/command_line/standard_output.h"
#include "app/command_line/stop_signals.h"
#include "app/command_line/training_display.h"
#include "core/base/numbers.h"
#include "core/base/text.h"

namespace kernelscape::command_line {
namespace {

struct TrainArguments {
  study::TrainingRequest request;
  std::string model;
  std::vector<std::string> settings;
  std::string resume;
  std::string database;
  bool json = false;
};

/** Checks that one action is given, and that every option has an effect on it. */
Status check_train_arguments(const CLI::App& command, const TrainArguments& arguments) {
  if (arguments.request.sources.empty() == arguments.resume.empty()) {
    return fail(ErrorCode::InvalidArgument,
                arguments.resume.empty() ? "train: no action is given" : "train: several actions are given",
                "give --data SOURCE,SOURCE, or --resume PREDICTOR");
  }
  if (arguments.resume.empty()) return {};
  for (const char* name : {"--template", "--model", "--set", "--seed", "--name"}) {
    if (command.count(name) == 0) continue;
    return fail(ErrorCode::InvalidArgument, fmt::format("train: {} has no effect here", name),
                "leave it out; the definition of a stored training does not change");
  }
  return {};
}

Result<std::map<std::string, std::string>> chosen_settings(const TrainArguments& arguments) {
  std::map<std::string, std::string> texts;
  for (const std::string& setting : arguments.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::InvalidArgument, fmt::format("--set {}: not name=value", setting),
                  "`kernelscape train --help` lists the settings");
    }
    texts[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  if (arguments.model.empty()) return texts;
  if (texts.contains("model"))
    return fail(ErrorCode::InvalidArgument, "--model and --set model=... set the same value",
                "give only one of them");
  texts["model"] = arguments.model;
  return texts;
}

void print_trained(const study::TrainingEnd& end, bool as_json) {
  const predictor::Description& description = end.predictor->description();
  if (as_json) {
    print_json_line({{"event", "summary"},
                     {"predictor", end.id},
                     {"interrupted", false},
                     {"name", description.name},
                     {"hash", end.predictor->hash()},
                     {"epochs", end.epochs.size()},
                     {"best_epoch", description.best_epoch},
                     {"samples", description.samples},
                     {"bytes", end.predictor->bytes().size()},
                     {"parts", parts_json(description.tasks)}});
    return;
  }
  print("\n{}: best of {} epochs is {}, {}\n\n{}", predictor::predictor_text(*end.predictor),
        end.epochs.size(), description.best_epoch,
        base::bytes_text(static_cast<double>(end.predictor->bytes().size())), parts_text(description.tasks));
  print(
      "\nsee its tasks with `kernelscape predictors {}`; `kernelscape tune TASK --tuner one-shot --set "
      "predictor={}` searches with it\n",
      end.id, end.id);
}

void print_stopped(const study::TrainingEnd& end, bool as_json) {
  if (as_json) {
    print_json_line(
        {{"event", "summary"}, {"predictor", end.id}, {"interrupted", true}, {"epochs", end.epochs.size()}});
  } else {
    print("\nstopped after {} epochs; `kernelscape train --resume {}` resumes\n", end.epochs.size(), end.id);
  }
}

Result<int> train(const store::Store& store, store::PredictorId id, bool as_json) {
  const session::StopRequest& stop = stop_on_signals();
  keep_going_without_output();
  const std::string database = store.path().string();
  std::unique_ptr<study::TrainingObserver> display =
      as_json ? make_training_json_display(database) : make_training_text_display(database);
  const Result<study::TrainingEnd> end = study::run_training(store.path(), id, *display, stop);
  display.reset();
  if (!end) {
    if (as_json) {
      print_json_line({{"event", "message"},
                       {"predictor", id},
                       {"level", "error"},
                       {"text", end.error().message},
                       {"hint", with_commands(end.error().hint)}});
    }
    return std::unexpected(end.error());
  }
  if (!end->predictor) {
    print_stopped(*end, as_json);
    return exit_interrupted;
  }
  print_trained(*end, as_json);
  return exit_done;
}

Result<int> run_train(const CLI::App& command, TrainArguments arguments) {
  TRY(check_train_arguments(command, arguments));
  const bool continues = !arguments.resume.empty();
  arguments.request.settings = TRY(chosen_settings(arguments));
  store::Store store =
      TRY(open_store(arguments.database, continues ? store::OpenMode::Existing : store::OpenMode::ReadWrite));
  const store::PredictorId id = TRY(continues ? store.predictors().find(arguments.resume)
                                              : study::create_training(store, arguments.request));
  return train(store, id, arguments.json);
}

/** "model (tokens), label (log_fitness), ...": names with defaults. */
std::string settings_help() {
  std::vector<std::string> names;
  for (const tuner::HyperparameterDeclaration& setting :
       tuner::settings_of<predictor::TrainingSettings>().declarations())
    names.push_back(fmt::format("{} ({})", setting.name, space::to_string(setting.default_value)));
  return base::join(names, ", ");
}

std::string models_help() {
  for (const tuner::HyperparameterDeclaration& setting :
       tuner::settings_of<predictor::TrainingSettings>().declarations())
    if (setting.name == "model") return base::join(setting.choices, ", ");
  return {};
}

}  // namespace

Command add_train_command(CLI::App& program) {
  auto arguments = std::make_shared<TrainArguments>();
  CLI::App* app = program.add_subcommand("train", "Train a performance predictor for the tuner one-shot");
  app->add_option("--data", arguments->request.sources,
                  "Training data: data sets and other studies by number or name, \"session 5\", "
                  "recorded:FILE")
      ->type_name("SOURCE,SOURCE")
      ->delimiter(',');
  app->add_option("--template", arguments->request.template_name,
                  "The template to learn, if the sources have several, or an operation such as conv2d, to "
                  "learn all its templates in one predictor (default: theirs)")
      ->type_name("NAME");
  app->add_option("--model", arguments->model, fmt::format("Model: {}", models_help()))->type_name("MODEL");
  app->add_option("--set", arguments->settings,
                  fmt::format("A setting; may be repeated; with its default: {}", settings_help()))
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app->add_option("--seed", arguments->request.seed,
                  "Seed of the held-out tasks and all random numbers (default: 1)")
      ->type_name("S")
      ->check(whole_in_range(0, largest_seed));
  app->add_option("--name", arguments->request.name,
                  "A name for the predictor (default: template or operation, and ISA)")
      ->type_name("NAME");
  app->add_option("--resume", arguments->resume, "Resume a training that was stopped or failed")
      ->type_name("PREDICTOR");
  add_database_option(*app, arguments->database);
  add_json_option(*app, arguments->json);
  return {app, [app, arguments] { return run_train(*app, *arguments); }};
}

}  // namespace kernelscape::command_line
