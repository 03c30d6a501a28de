#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_output.h"
#include "app/command_line/shared_options.h"
#include "app/command_line/study_plan.h"
#include "app/command_line/study_run.h"
#include "core/base/media/shell_script.h"
#include "core/base/text.h"
#include "core/study/execution.h"

namespace kernelscape::command_line {
namespace {

struct StudyArguments {
  std::string file;
  std::vector<std::string> tasks;
  std::vector<std::string> tuners;
  std::vector<std::string> targets;
  std::optional<int> repeats;
  std::optional<std::int64_t> trials;
  std::optional<double> minutes;
  std::optional<std::uint64_t> seed;
  std::optional<int> threads;
  std::optional<std::int64_t> batch;
  bool paired_starts = false;
  bool no_controls = false;
  std::string template_name;
  std::string search_time;
  std::string name;
  std::string baseline;
  int jobs = 0;
  bool by_task = false;
  bool list = false;
  std::string resume;
  std::string show;
  std::string remove;
  std::string database;
  bool json = false;
};

bool defines_study(const StudyArguments& arguments) {
  return !arguments.tasks.empty() || !arguments.targets.empty();
}

/** Checks that exactly one action is given. */
Status check_arguments(const StudyArguments& arguments) {
  const int asked = int{!arguments.file.empty()} + int{defines_study(arguments)} + int{arguments.list} +
                    int{!arguments.resume.empty()} + int{!arguments.show.empty()} +
                    int{!arguments.remove.empty()};
  if (asked == 1) return {};
  return fail(ErrorCode::InvalidArgument,
              asked == 0 ? "study: no action is given" : "study: several actions are given",
              "give FILE, or --tasks and --tuners, or one of --resume, --show, --list, --delete");
}

/** Options that define or run a study have no effect on a study that is only shown. */
Status check_used(const CLI::App& command, const StudyArguments& arguments) {
  std::vector<std::string> unused;
  const bool stored =
      arguments.list || !arguments.resume.empty() || !arguments.show.empty() || !arguments.remove.empty();
  if (stored) {
    unused = {"--template",    "--tuners",        "--repeats",    "--trials", "--minutes",
              "--search-time", "--seed",          "--threads",    "--name",   "--baseline",
              "--batch",       "--paired-starts", "--no-controls"};
  }
  if (stored && arguments.resume.empty()) unused.emplace_back("--jobs");
  if (arguments.list || !arguments.remove.empty()) unused.emplace_back("--by-task");
  if (!arguments.remove.empty()) unused.emplace_back("--json");
  for (const std::string& name : unused) {
    if (command.count(name) == 0) continue;
    return fail(ErrorCode::InvalidArgument, fmt::format("study: {} has no effect here", name),
                "leave it out; the definition of a stored study does not change");
  }
  return {};
}

/**
 * Makes the error of an unknown study.
 * @param names of the existing studies, beside the built-in ones
 */
std::unexpected<Error> no_such_study(std::string message, const std::string& wanted,
                                     std::vector<std::string> names) {
  for (const std::filesystem::path& file : study::bundled_studies()) names.push_back(file.stem().string());
  return fail(ErrorCode::NotFound, std::move(message), base::suggest(wanted, names));
}

/** A path, or the name of a built-in study. */
Result<std::filesystem::path> find_file(const std::string& name) {
  std::error_code error;
  if (std::filesystem::is_regular_file(name, error)) return std::filesystem::path(name);
  for (const std::filesystem::path& file : study::bundled_studies())
    if (file.stem() == name) return file;
  return no_such_study(fmt::format("there is no file {}, and no built-in study of that name", name), name,
                       {});
}

/** Every task on every target; recorded spaces need no task. */
void add_tasks(const StudyArguments& arguments, study::Definition& study) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::current_path(error);
  const std::vector<std::string> targets =
      arguments.targets.empty() ? std::vector<std::string>{"cpu"} : arguments.targets;
  const std::vector<std::string> tasks =
      arguments.tasks.empty() ? std::vector<std::string>{""} : arguments.tasks;
  for (const std::string& target : targets) {
    for (const std::string& task : tasks) {
      study::Task wanted;
      wanted.task = task;
      wanted.target = study::resolve_recorded_target(target, folder);
      wanted.template_name = arguments.template_name;
      study.tasks.push_back(std::move(wanted));
    }
  }
}

Result<study::Definition> read_definition(const StudyArguments& arguments) {
  if (arguments.file.empty()) {
    study::Definition study;
    add_tasks(arguments, study);
    study.name = "study of " + base::join(study::task_labels(study), ", ");
    return study;
  }
  const std::filesystem::path file = TRY(find_file(arguments.file));
  return study::load_study(file);
}

/** Tuners that are measured in their own way included. */
void set_threads(study::Definition& study, int threads) {
  study.measuring.threads = threads;
  for (study::Arm& arm : study.arms) {
    if (arm.measuring) arm.measuring->threads = threads;
  }
}

/** Of all tuners that come in no batch of their own; controls of before are made anew for it. */
void set_batch(study::Definition& study, std::int64_t batch) {
  std::erase_if(study.arms, [](const study::Arm& arm) { return arm.control; });
  for (study::Arm& arm : study.arms) {
    if (arm.batch == 0) arm.batch = batch;
  }
}

/** Returns the study of the file or of the options, with the other options applied. */
Result<study::Definition> make_definition(const StudyArguments& arguments) {
  study::Definition study = TRY(read_definition(arguments));
  if (!arguments.tuners.empty()) study.arms.clear();
  for (const std::string& text : arguments.tuners) study.arms.push_back(TRY(study::parse_arm(text)));
  if (!arguments.search_time.empty())
    study.search_time = TRY(trial::parse_search_time(arguments.search_time));
  study.repeats = arguments.repeats.value_or(study.repeats);
  study.budget.trials = arguments.trials.value_or(study.budget.trials);
  study.budget.minutes = arguments.minutes.value_or(study.budget.minutes);
  study.seed = arguments.seed.value_or(study.seed);
  if (arguments.threads) set_threads(study, *arguments.threads);
  if (arguments.batch) set_batch(study, *arguments.batch);
  if (arguments.paired_starts) study.paired_starts = true;
  if (arguments.no_controls) {
    study.controls = false;
    std::erase_if(study.arms, [](const study::Arm& arm) { return arm.control; });
  }
  if (!arguments.name.empty()) study.name = arguments.name;
  if (!arguments.baseline.empty()) study.baseline = arguments.baseline;
  TRY(study::check_study(study));
  return study;
}

StudyRunOptions run_options(const StudyArguments& arguments) {
  return {arguments.jobs, arguments.by_task, arguments.json};
}

Result<int> begin(store::Store& store, const StudyArguments& arguments) {
  study::Definition study = TRY(make_definition(arguments));
  study::Definition present = study;
  for (const std::string& notice : study::leave_out_missing(present)) {
    if (arguments.json) {
      print_json_line(
          {{"event", "message"}, {"study", nullptr}, {"level", "info"}, {"text", notice}, {"hint", ""}});
    } else {
      print("{}\n", notice);
    }
  }
  const store::StudyId id = TRY(study::create_study(store, study));
  return run_stored_study(store, id, run_options(arguments));
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/** A definition as it is, without a database or with one that has the recorded spaces it names. */
Result<int> show_definition(const std::filesystem::path& file, const store::Store* store, bool as_json) {
  const study::Definition study = TRY(study::load_study(file));
  study::PlannedTaskReader reader;
  const study::StudyPlan plan = study::plan_study(study, reader, store);
  if (as_json) {
    print_json_line(plan_event(plan));
  } else {
    print("{}\n`kernelscape study {}` runs it\n", plan_text(plan), base::ShellScript::escaped(file.string()));
  }
  return exit_done;
}

/** A study of the database, by its number or name; else a definition that need not have run. */
Result<int> show_study(const StudyArguments& arguments) {
  const std::string& wanted = arguments.show;
  Result<store::Store> store = open_store(arguments.database, store::OpenMode::ReadOnly);
  const Result<store::StudyId> id = store ? store->studies().find(wanted) : std::unexpected(store.error());
  if (!id) {
    if (is_number(wanted)) return std::unexpected(id.error());
    if (const auto file = find_file(wanted))
      return show_definition(*file, store ? &*store : nullptr, arguments.json);
    // A database that can't be read says more than that there is no such definition.
    if (!store || id.error().code != ErrorCode::NotFound) return std::unexpected(id.error());
    std::vector<std::string> names;
    for (const store::StudySummary& study : TRY(store->studies().all())) names.push_back(study.record.name);
    return no_such_study(id.error().message + ", and there is no file and no built-in study of that name",
                         wanted, std::move(names));
  }
  const store::Store shown = TRY(study::with_analysed_sessions(std::move(*store), *id));
  TRY(print_stored_study(shown, *id, run_options(arguments)));
  return exit_done;
}

Result<int> run_study(const CLI::App& command, const StudyArguments& arguments) {
  TRY(check_arguments(arguments));
  TRY(check_used(command, arguments));
  if (!arguments.show.empty()) return show_study(arguments);
  const bool begins = !arguments.file.empty() || defines_study(arguments);
  const store::OpenMode mode = arguments.list ? store::OpenMode::ReadOnly
                               : begins       ? store::OpenMode::ReadWrite
                                              : store::OpenMode::Existing;
  store::Store store = TRY(open_store(arguments.database, mode));
  if (arguments.list) return print_stored_studies(store, std::nullopt, arguments.json);
  const std::string& stored = !arguments.resume.empty() ? arguments.resume : arguments.remove;
  if (stored.empty()) return begin(store, arguments);
  const store::StudyId id = TRY(store.studies().find(stored));
  if (!arguments.remove.empty()) return delete_stored_study(store, id);
  return run_stored_study(store, id, run_options(arguments));
}

void add_definition_options(CLI::App& app, StudyArguments& arguments) {
  app.add_option("FILE", arguments.file, "A study as a JSON file, or the name of a built-in study");
  app.add_option("--tasks", arguments.tasks, "Instead of FILE: tasks, separated by commas")
      ->type_name("TASK,TASK")
      ->delimiter(',');
  app.add_option(
         "--target", arguments.targets,
         "Target of the runs: cpu (default), a GPU such as cuda:0, or recorded:FILE, which needs no task")
      ->type_name("TARGET");
  app.add_option("--template", arguments.template_name, "Default: the first template that fits")
      ->type_name("NAME");
  app.add_option("--tuners", arguments.tuners,
                 "Tuners, with a batch after @ and settings after colons: nose,ga@8:population=50")
      ->type_name("TUNER,TUNER")
      ->delimiter(',');
  app.add_option("--batch", arguments.batch, "Candidates per batch, for tuners without a batch size after @")
      ->type_name("N")
      ->check(whole_in_range(1, study::max_batch));
  app.add_flag("--paired-starts", arguments.paired_starts,
               "Give all tuners the same seed in a repeat on a task");
  app.add_flag("--no-controls", arguments.no_controls,
               "Do not add random search with the same batches to the comparison");
  app.add_option("--repeats", arguments.repeats, "Runs per tuner and task, each with its own seed")
      ->type_name("N")
      ->check(whole_in_range(1, 10'000));
  app.add_option("--trials", arguments.trials, "End a run after so many trials; 0: no limit (default: 500)")
      ->type_name("N")
      ->check(whole_in_range(0, max_trials));
  app.add_option("--minutes", arguments.minutes, "End a run after so many minutes; 0: no limit (default)")
      ->type_name("M")
      ->check(in_range(0, 1e6));
  app.add_option("--search-time", arguments.search_time,
                 "How tuners' own time counts in replays: measured (default), none, or seconds per candidate")
      ->type_name("TIME");
  app.add_option("--seed", arguments.seed, "Seed from which the seeds of the runs are derived (default: 1)")
      ->type_name("S")
      ->check(whole_in_range(0, largest_seed));
  app.add_option("--threads", arguments.threads, "Threads of measured kernels; 0: all cores (default)")
      ->type_name("N")
      ->check(whole_in_range(0, 4096));
  app.add_option("--name", arguments.name, "A name for the study")->type_name("NAME");
  app.add_option("--baseline", arguments.baseline,
                 "The tuner that others are compared with (default: the first)")
      ->type_name("TUNER");
}

}  // namespace

Command add_study_command(CLI::App& program) {
  auto arguments = std::make_shared<StudyArguments>();
  CLI::App* app = program.add_subcommand("study", "Compare tuners: each on every task, several times");
  add_definition_options(*app, *arguments);
  app->add_option("--jobs", arguments->jobs,
                  "Concurrent replays; 0 (default): as the study says, else one if search time is measured, "
                  "else one per core")
      ->type_name("N")
      ->check(whole_in_range(0, study::max_replays_at_once));
  app->add_flag("--by-task", arguments->by_task, "Also print a table of every tuner on every task");
  app->add_option("--resume", arguments->resume, "Resume a study: run what is missing or failed")
      ->type_name("STUDY");
  app->add_option("--show", arguments->show,
                  "Print the tables of a study of the database, by its number or name; or what a definition "
                  "that has not run can decide, by its file or the name of a built-in study")
      ->type_name("STUDY");
  app->add_flag("--list", arguments->list, "List all studies of the database, newest first");
  app->add_option("--delete", arguments->remove, "Delete a study with its sessions")->type_name("STUDY");
  add_database_option(*app, arguments->database);
  add_json_option(*app, arguments->json);
  return {app, [app, arguments] { return run_study(*app, *arguments); }};
}

}  // namespace kernelscape::command_line
