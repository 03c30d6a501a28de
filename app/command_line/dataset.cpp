#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/group_text.h"
#include "app/command_line/shared_options.h"
#include "app/command_line/study_run.h"
#include "app/command_line/tuning_options.h"
#include "core/base/media/shell_script.h"

namespace kernelscape::command_line {
namespace {

struct DataSetArguments {
  study::DataSetRequest request;
  /** Target, template, tuner, settings, budget, seed and measuring: into the request once they are read. */
  TuningOptions tuning;
  std::string sampling;
  bool dry_run = false;
  bool list = false;
  std::string resume;
  std::string show;
  std::string remove;
};

bool is_of_stored(const DataSetArguments& arguments) {
  return arguments.list || !arguments.resume.empty() || !arguments.show.empty() || !arguments.remove.empty();
}

/** Checks that exactly one action is given, and that every option has an effect on it. */
Status check_data_set_arguments(const CLI::App& command, const DataSetArguments& arguments) {
  const bool makes = !arguments.tuning.request.template_name.empty();
  const int asked = int{makes} + int{arguments.list} + int{!arguments.resume.empty()} +
                    int{!arguments.show.empty()} + int{!arguments.remove.empty()};
  if (asked != 1) {
    return fail(ErrorCode::InvalidArgument,
                asked == 0 ? "dataset: no action is given" : "dataset: several actions are given",
                "give --template NAME, or one of --resume, --show, --list, --delete");
  }
  if (!is_of_stored(arguments)) return {};
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool of_stored = name == "--list" || name == "--resume" || name == "--show" || name == "--delete" ||
                           name == "--db" || (name == "--json" && arguments.remove.empty());
    if (of_stored || option->count() == 0) continue;
    return fail(ErrorCode::InvalidArgument, fmt::format("dataset: {} has no effect here", name),
                "leave it out; the definition of a stored data set does not change");
  }
  return {};
}

Result<study::DataSetPlan> draw_tasks(DataSetArguments arguments) {
  const session::TuningRequest tuning = TRY(tuning_request(arguments.tuning));
  study::DataSetRequest& request = arguments.request;
  request.template_name = tuning.template_name;
  request.target = tuning.target;
  request.tuner = tuning.tuner;
  request.settings = tuning.settings;
  request.trials = tuning.budget.trials;
  request.measuring = tuning.measuring;
  request.seed = tuning.seed.value_or(request.seed);
  request.name = tuning.name;
  if (!arguments.sampling.empty()) request.sampling = TRY(task::parse_task_sampling(arguments.sampling));
  const task::Catalogue catalogue = TRY(task::Catalogue::load_default());
  if (session::is_recorded_target(request.target)) {
    return fail(ErrorCode::InvalidArgument, "a data set is measured, but a recorded space is replayed",
                fmt::format("train on it: `kernelscape train --data {}`",
                            base::ShellScript::escaped(request.target)));
  }
  const schedule::TargetDescription target = TRY(session::resolve_target(
      request.target, arguments.dry_run ? measure::CompilerNeed::Optional : measure::CompilerNeed::Required));
  return study::plan_data_set(request, catalogue, target);
}

Result<int> make_data_set(const DataSetArguments& arguments) {
  const study::DataSetPlan plan = TRY(draw_tasks(arguments));
  const bool as_json = arguments.tuning.json;
  if (as_json) print_json_line(drawn_event(plan));
  if (arguments.dry_run) {
    if (!as_json) print(drawn_text(plan));
    return exit_done;
  }
  store::Store store = TRY(open_store(arguments.tuning.database, store::OpenMode::ReadWrite));
  const store::StudyId id = TRY(study::create_study(store, plan.study));
  return run_stored_study(store, id, {.json = as_json});
}

Result<int> run_dataset(const CLI::App& command, const DataSetArguments& arguments) {
  TRY(check_data_set_arguments(command, arguments));
  if (!is_of_stored(arguments)) return make_data_set(arguments);
  const bool only_looks = arguments.list || !arguments.show.empty();
  store::Store store = TRY(open_store(arguments.tuning.database,
                                      only_looks ? store::OpenMode::ReadOnly : store::OpenMode::Existing));
  const StudyRunOptions options{.json = arguments.tuning.json};
  if (arguments.list) return print_stored_studies(store, study::Purpose::DataSet, options.json);
  const std::string& named = !arguments.resume.empty() ? arguments.resume
                             : !arguments.show.empty() ? arguments.show
                                                       : arguments.remove;
  const store::StudyId id = TRY(find_study_for(store, named, study::Purpose::DataSet));
  if (!arguments.remove.empty()) return delete_stored_study(store, id);
  if (!arguments.resume.empty()) return run_stored_study(store, id, options);
  TRY(print_stored_study(store, id, options));
  return exit_done;
}

void add_drawing_options(CLI::App& app, DataSetArguments& arguments) {
  session::TuningRequest& tuning = arguments.tuning.request;
  study::DataSetRequest& request = arguments.request;
  app.add_option("--template", tuning.template_name, "Template of the kernels; see `kernelscape templates`")
      ->type_name("NAME");
  app.add_option("--tasks", request.tasks, "Number of different tasks (default: 60)")
      ->type_name("N")
      ->check(whole_in_range(1, store::max_study_runs));
  app.add_option("--trials", tuning.budget.trials, "Trials per task (default: 128)")
      ->type_name("N")
      ->check(whole_in_range(1, max_trials));
  app.add_option("--layers", request.layers,
                 "Sources of the layers: networks, lists such as heron, files (.csv, .json) of layers "
                 "(default: all networks, and for multiplications heron, opevo-cpu and transformer)")
      ->type_name("NAME,FILE")
      ->delimiter(',');
  app.add_option("--sampling", arguments.sampling,
                 "How to draw tasks: prior (new tasks similar to the layers, default), rows (the layers "
                 "themselves) or uniform")
      ->type_name("METHOD");
  app.add_option("--hold-out", request.held_out, "Networks and tasks whose shapes are not drawn")
      ->type_name("NAME,NAME")
      ->delimiter(',');
  app.add_option("--max-gflop", request.max_gflop, "Draw no task with more GFLOP; 0: no limit (default)")
      ->type_name("X")
      ->check(in_range(0, 1e9));
  app.add_option("--target", tuning.target, "cpu (default), or a GPU such as cuda:0")->type_name("TARGET");
  app.add_option("--tuner", tuning.tuner,
                 fmt::format("Tuner that explores (default: {} with features=curve and loss=regression)",
                             study::data_set_tuner))
      ->type_name("NAME");
  app.add_option("--set", arguments.tuning.settings, "A hyperparameter of the tuner; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--seed", tuning.seed, "Seed of tasks and sessions (default: 1)")
      ->type_name("S")
      ->check(whole_in_range(0, largest_seed));
  app.add_option("--name", tuning.name, "A name for the data set")->type_name("NAME");
  app.add_flag("--dry-run", arguments.dry_run, "Print the tasks and measure nothing");
}

}  // namespace

Command add_dataset_command(CLI::App& program) {
  auto arguments = std::make_shared<DataSetArguments>();
  session::TuningRequest& tuning = arguments->tuning.request;
  tuning.tuner = study::data_set_tuner;
  tuning.budget.trials = arguments->request.trials;
  tuning.measuring = study::data_set_measuring;
  CLI::App* app =
      program.add_subcommand("dataset", "Measure many tasks of a template, as training data of predictors");
  add_drawing_options(*app, *arguments);
  add_measuring_options(*app, arguments->tuning);
  app->add_option("--resume", arguments->resume, "Resume a data set: run what is missing or failed")
      ->type_name("DATASET");
  app->add_option("--show", arguments->show, "Show a data set of the database")->type_name("DATASET");
  app->add_flag("--list", arguments->list, "List all data sets of the database, newest first");
  app->add_option("--delete", arguments->remove, "Delete a data set with its sessions")->type_name("DATASET");
  add_database_option(*app, arguments->tuning.database);
  add_json_option(*app, arguments->tuning.json);
  return {app, [app, arguments] { return run_dataset(*app, *arguments); }};
}

}  // namespace kernelscape::command_line
