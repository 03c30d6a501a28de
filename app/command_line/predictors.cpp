#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/predictor_text.h"
#include "app/command_line/shared_options.h"
#include "core/session/predictor_choice.h"
#include "core/study/data_set_reader.h"
#include "core/study/known_predictors.h"

namespace kernelscape::command_line {
namespace {

struct PredictorsArguments {
  std::string shown;
  std::string exported;
  std::string out;
  bool force = false;
  std::string imported;
  std::string removed;
  std::string evaluated;
  std::vector<std::string> data;
  std::string database;
  bool json = false;
};

Status wrong_predictors_usage(std::string message, std::string hint) {
  return fail(ErrorCode::InvalidArgument, "predictors: " + std::move(message), std::move(hint));
}

/** Checks that at most one action is given, with all its options and no others. */
Status check_predictors_arguments(const PredictorsArguments& arguments) {
  const int asked = int{!arguments.shown.empty()} + int{!arguments.exported.empty()} +
                    int{!arguments.imported.empty()} + int{!arguments.removed.empty()} +
                    int{!arguments.evaluated.empty()};
  if (asked > 1)
    return wrong_predictors_usage("several actions are given",
                                  "give NAME, or one of --evaluate, --export, --import, --delete");
  if (arguments.exported.empty() != arguments.out.empty())
    return wrong_predictors_usage("--export and --out must be given together",
                                  "write --export NAME --out FILE");
  if (arguments.evaluated.empty() != arguments.data.empty())
    return wrong_predictors_usage("--evaluate and --data must be given together",
                                  "write --evaluate NAME --data SOURCE");
  if (arguments.force && arguments.exported.empty())
    return wrong_predictors_usage("--force requires --export", "leave it out");
  return {};
}

void print_unreadable(const std::vector<Error>& unreadable) {
  for (const Error& problem : unreadable) print_note(describe(problem));
}

Result<int> list_predictors(const store::Store& store, bool as_json) {
  std::vector<Error> unreadable;
  const std::vector<study::KnownPredictor> known = TRY(study::known_predictors(store, &unreadable));
  print_unreadable(unreadable);
  if (as_json) {
    for (const study::KnownPredictor& predictor : known) print_json_line(predictor_json(predictor));
  } else if (!known.empty()) {
    print(predictors_text(known));
  } else {
    print("no predictors in {}, and none is built in; `kernelscape train` makes one\n",
          store.path().string());
  }
  return exit_done;
}

Result<int> show_predictor(const store::Store& store, const PredictorsArguments& arguments) {
  const study::KnownPredictor known = TRY(study::find_known_predictor(store, arguments.shown));
  if (arguments.json) {
    print_json_line(predictor_details_json(known));
  } else {
    print(predictor_details_text(known));
  }
  return exit_done;
}

Result<int> evaluate(const store::Store& store, const PredictorsArguments& arguments) {
  const study::KnownPredictor known = TRY(study::find_known_predictor(store, arguments.evaluated));
  const std::shared_ptr<const predictor::Predictor> predictor =
      TRY(study::open_known_predictor(store, known));
  const predictor::DataSet data = TRY(study::read_data_set(
      store, arguments.data, predictor::templates_text(predictor->description().templates()),
      study::AbsentTemplates::LeftOut));
  if (const std::string notice = session::predictor_notice(*predictor, data.target); !notice.empty())
    print_note(notice);
  const std::vector<predictor::TaskOutcome> outcomes = TRY(study::evaluate_predictor(*predictor, data));
  if (arguments.json) {
    nlohmann::json tasks = nlohmann::json::array();
    for (const predictor::TaskOutcome& outcome : outcomes) tasks.push_back(task_outcome_json(outcome));
    print_json_line({{"name", known.name},
                     {"hash", predictor->hash()},
                     {"sources", data.sources},
                     {"parts", parts_json(outcomes)},
                     {"tasks", std::move(tasks)}});
  } else {
    print("{}\n{}", parts_text(outcomes), held_out_text(outcomes));
  }
  return exit_done;
}

Result<int> export_known(const store::Store& store, const PredictorsArguments& arguments) {
  const study::KnownPredictor known = TRY(study::find_known_predictor(store, arguments.exported));
  const std::shared_ptr<const predictor::Predictor> predictor =
      TRY(study::open_known_predictor(store, known));
  TRY(study::export_predictor(*predictor, arguments.out, arguments.force));
  if (arguments.json) {
    print_json_line({{"name", known.name}, {"hash", predictor->hash()}, {"file", arguments.out}});
  } else {
    print("wrote {}\n", arguments.out);
  }
  return exit_done;
}

Result<int> import_file_of_predictor(store::Store& store, const PredictorsArguments& arguments) {
  const study::ImportedPredictor imported = TRY(study::import_predictor(store, arguments.imported));
  const store::PredictorSummary stored = TRY(store.predictors().get(imported.id));
  if (arguments.json) {
    print_json_line({{"file", arguments.imported},
                     {"predictor", imported.id},
                     {"name", stored.record.name},
                     {"hash", stored.hash},
                     {"existed", imported.existed}});
  } else {
    print("predictor {}: {} {}{}\n", imported.id, stored.record.name, stored.hash,
          imported.existed ? " (already imported)" : "");
  }
  return exit_done;
}

Result<int> delete_known(store::Store& store, const PredictorsArguments& arguments) {
  const store::PredictorId id = TRY(store.predictors().find(arguments.removed));
  const store::PredictorSummary stored = TRY(store.predictors().get(id));
  TRY(store.predictors().remove(id));
  if (arguments.json) {
    print_json_line({{"predictor", id}, {"name", stored.record.name}, {"deleted", true}});
  } else {
    print("deleted predictor {} ({})\n", id, stored.record.name);
  }
  return exit_done;
}

Result<int> run_predictors(const PredictorsArguments& arguments) {
  TRY(check_predictors_arguments(arguments));
  const store::OpenMode mode = !arguments.imported.empty()  ? store::OpenMode::ReadWrite
                               : !arguments.removed.empty() ? store::OpenMode::Existing
                                                            : store::OpenMode::ReadOnly;
  store::Store store = TRY(open_store(arguments.database, mode));
  if (!arguments.shown.empty()) return show_predictor(store, arguments);
  if (!arguments.evaluated.empty()) return evaluate(store, arguments);
  if (!arguments.exported.empty()) return export_known(store, arguments);
  if (!arguments.imported.empty()) return import_file_of_predictor(store, arguments);
  if (!arguments.removed.empty()) return delete_known(store, arguments);
  return list_predictors(store, arguments.json);
}

}  // namespace

Command add_predictors_command(CLI::App& program) {
  auto arguments = std::make_shared<PredictorsArguments>();
  CLI::App* app =
      program.add_subcommand("predictors", "Trained predictors of the database, and built-in ones");
  app->add_option("NAME", arguments->shown,
                  "A predictor by number, name or hash: shows its origin, epochs and quality");
  app->add_option("--evaluate", arguments->evaluated, "Evaluate a predictor on the samples of --data")
      ->type_name("NAME");
  app->add_option("--data", arguments->data, "Sources, as for `kernelscape train`")
      ->type_name("SOURCE,SOURCE")
      ->delimiter(',');
  app->add_option("--export", arguments->exported, "Write a predictor to the file of --out")
      ->type_name("NAME");
  app->add_option("--out", arguments->out, "The file of --export, such as mine.kspred")->type_name("FILE");
  add_force_option(*app, arguments->force);
  app->add_option("--import", arguments->imported, "Import a file that --export wrote")->type_name("FILE");
  app->add_option("--delete", arguments->removed, "Delete a predictor of the database")->type_name("NAME");
  add_database_option(*app, arguments->database);
  add_json_option(*app, arguments->json);
  return {app, [arguments] { return run_predictors(*arguments); }};
}

}  // namespace kernelscape::command_line
