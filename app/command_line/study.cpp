#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/shared_options.h"
#include "app/command_line/standard_output.h"
#include "app/command_line/stop_signals.h"
#include "app/command_line/study_display.h"
#include "app/command_line/study_text.h"
#include "core/base/text.h"
#include "core/study/comparison_reader.h"
#include "core/study/study_execution.h"

namespace kernelscape {
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

/** Exactly one thing is asked for. */
Status check_arguments(const StudyArguments& arguments) {
  const int asked = int{!arguments.file.empty()} + int{defines_study(arguments)} + int{arguments.list} +
                    int{!arguments.resume.empty()} + int{!arguments.show.empty()} +
                    int{!arguments.remove.empty()};
  if (asked == 1) return {};
  return fail(ErrorCode::InvalidArgument,
              asked == 0 ? "study: nothing is asked for" : "study: several things are asked for at once",
              "give FILE, or --tasks and --tuners, or one of --resume, --show, --list, --delete");
}

/** What says how a study is made, or how it runs, says nothing of one that is only looked at. */
Status check_used(const CLI::App& command, const StudyArguments& arguments) {
  std::vector<std::string> unused;
  const bool stored =
      arguments.list || !arguments.resume.empty() || !arguments.show.empty() || !arguments.remove.empty();
  if (stored) {
    unused = {"--template",    "--tuners", "--repeats", "--trials", "--minutes",
              "--search-time", "--seed",   "--threads", "--name",   "--baseline"};
  }
  if (stored && arguments.resume.empty()) unused.emplace_back("--jobs");
  if (arguments.list || !arguments.remove.empty()) unused.emplace_back("--by-task");
  if (!arguments.remove.empty()) unused.emplace_back("--json");
  for (const std::string& name : unused) {
    if (command.count(name) == 0) continue;
    return fail(ErrorCode::InvalidArgument, fmt::format("study: {} is of no use here", name),
                "leave it out; what a stored study is made of does not change");
  }
  return {};
}

/** A path, or the name of a shipped study. */
Result<std::filesystem::path> find_file(const std::string& name) {
  std::error_code error;
  if (std::filesystem::exists(name, error)) return std::filesystem::path(name);
  std::vector<std::string> known;
  for (const std::filesystem::path& file : shipped_studies()) {
    if (file.stem() == name) return file;
    known.push_back(file.stem().string());
  }
  return fail(ErrorCode::NotFound, fmt::format("there is no study {}", name), suggest(name, known));
}

/** Every task on every target; recorded spaces need no task. */
void add_tasks(const StudyArguments& arguments, StudyDefinition& study) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::current_path(error);
  const std::vector<std::string> targets =
      arguments.targets.empty() ? std::vector<std::string>{"cpu"} : arguments.targets;
  const std::vector<std::string> tasks =
      arguments.tasks.empty() ? std::vector<std::string>{""} : arguments.tasks;
  for (const std::string& target : targets) {
    for (const std::string& task : tasks) {
      StudyTask wanted;
      wanted.task = task;
      wanted.target = resolve_recorded_target(target, folder);
      wanted.template_name = arguments.template_name;
      study.tasks.push_back(std::move(wanted));
    }
  }
}

Result<StudyDefinition> read_definition(const StudyArguments& arguments) {
  if (arguments.file.empty()) {
    StudyDefinition study;
    add_tasks(arguments, study);
    study.name = "study of " + join(task_labels(study), ", ");
    return study;
  }
  const std::filesystem::path file = TRY(find_file(arguments.file));
  return load_study(file);
}

/** Tuners that are measured in their own way included. */
void set_threads(StudyDefinition& study, int threads) {
  study.measuring.threads = threads;
  for (StudyArm& arm : study.arms) {
    if (arm.measuring) arm.measuring->threads = threads;
  }
}

/** The file's study, or that of the options, with what else the command line says. */
Result<StudyDefinition> make_definition(const StudyArguments& arguments) {
  StudyDefinition study = TRY(read_definition(arguments));
  if (!arguments.tuners.empty()) study.arms.clear();
  for (const std::string& text : arguments.tuners) study.arms.push_back(TRY(parse_arm(text)));
  if (!arguments.search_time.empty()) study.search_time = TRY(parse_search_time(arguments.search_time));
  study.repeats = arguments.repeats.value_or(study.repeats);
  study.budget.trials = arguments.trials.value_or(study.budget.trials);
  study.budget.minutes = arguments.minutes.value_or(study.budget.minutes);
  study.seed = arguments.seed.value_or(study.seed);
  if (arguments.threads) set_threads(study, *arguments.threads);
  if (!arguments.name.empty()) study.name = arguments.name;
  if (!arguments.baseline.empty()) study.baseline = arguments.baseline;
  TRY(check_study(study));
  return study;
}

Status print_analysis(const Store& store, StudyId id, const StudyDefinition& study, bool as_json) {
  for (const SessionId session : TRY(analysed_sessions(store, study))) {
    const SessionSummary summary = TRY(store.session(session));
    const auto recording = TRY(store.recording(summary.record.recording));
    if (as_json) {
      print_json_line(recording_event(id, session, *recording));
    } else {
      print("\nsession {}, {}", session, recording_text(*recording));
    }
  }
  return {};
}

Status print_comparison(const Store& store, StudyId id, const StudyDefinition& study,
                        const StudyArguments& arguments) {
  const std::shared_ptr<const ComparedRuns> runs = TRY(ComparisonReader(store, id).read());
  const ComparisonTable table = comparison_table(*runs, baseline_arm(study));
  if (arguments.json) {
    for (const ComparisonRow& row : table.rows) print_json_line(comparison_row_event(id, *runs, row));
  } else {
    print("\n{}", comparison_text(*runs, table, arguments.by_task));
  }
  return {};
}

Status print_study(const Store& store, StudyId id, const StudyArguments& arguments) {
  const StudyDefinition study = TRY(stored_study(store, id));
  const Status printed = study.analysed.empty() ? print_comparison(store, id, study, arguments)
                                                : print_analysis(store, id, study, arguments.json);
  if (!printed || arguments.json) return printed;
  print(
      "\nthe workbench shows it in its Compare view; `kernelscape report --study {} --out x.html` makes "
      "a report\n",
      id);
  return {};
}

void print_summary(const StudyOutcome& outcome, bool as_json) {
  const StudyProgress& progress = outcome.progress;
  if (as_json) {
    print_json_line({{"event", "summary"},
                     {"study", outcome.id},
                     {"interrupted", outcome.interrupted},
                     {"runs", progress.runs},
                     {"done", progress.done},
                     {"failed", progress.failed},
                     {"elapsed_seconds", progress.elapsed_seconds}});
  } else if (outcome.interrupted) {
    print("\nstopped after {} of {} runs; `kernelscape study --resume {}` goes on\n", progress.done,
          progress.runs, outcome.id);
  }
}

Result<int> execute(Store& store, StudyId id, const StudyArguments& arguments) {
  const StopRequest& stop = stop_on_signals();
  go_on_without_output();
  const StudyDefinition study = TRY(stored_study(store, id));
  const StudyDisplaySetup setup{id, &study, store.path().string()};
  std::unique_ptr<StudyObserver> display =
      arguments.json ? make_study_json_display(setup) : make_study_text_display(setup);
  StudyOptions options;
  options.jobs = arguments.jobs;
  const Result<StudyOutcome> outcome = run_study(store.path(), id, options, *display, stop);
  display.reset();
  if (!outcome) return std::unexpected(outcome.error());
  TRY(print_study(store, id, arguments));
  print_summary(*outcome, arguments.json);
  if (outcome->interrupted) return exit_interrupted;
  if (outcome->progress.failed == 0) return exit_done;
  return fail(ErrorCode::Environment,
              fmt::format("{} of {} runs failed", outcome->progress.failed, outcome->progress.runs),
              fmt::format("`kernelscape study --resume {}` tries them again", id));
}

Result<int> begin(Store& store, const StudyArguments& arguments) {
  StudyDefinition study = TRY(make_definition(arguments));
  StudyDefinition present = study;
  for (const std::string& notice : leave_out_missing(present)) {
    if (arguments.json) {
      print_json_line(
          {{"event", "message"}, {"study", nullptr}, {"level", "info"}, {"text", notice}, {"hint", ""}});
    } else {
      print("{}\n", notice);
    }
  }
  const StudyId id = TRY(create_study(store, study));
  return execute(store, id, arguments);
}

std::string state_of(const StudySummary& study) {
  if (study.owner && study.owner->alive()) return "running";
  if (study.done_runs == study.record.run_count) return "done";
  return study.failed_runs > 0 ? "failed" : "stopped";
}

Result<int> print_studies(const Store& store, bool as_json) {
  std::vector<Error> unreadable;
  const std::vector<StudySummary> studies = TRY(store.studies(&unreadable));
  for (const Error& problem : unreadable) print_note(describe(problem));
  TextTable table({"study", "name", "runs", "done", "failed", "state", "created"});
  for (const StudySummary& study : studies) {
    const StudyRecord& record = study.record;
    if (as_json) {
      print_json_line({{"study", record.id},
                       {"name", record.name},
                       {"created_utc", record.created_utc},
                       {"runs", record.run_count},
                       {"done", study.done_runs},
                       {"failed", study.failed_runs},
                       {"state", state_of(study)}});
      continue;
    }
    table.add({std::to_string(record.id), record.name, std::to_string(record.run_count),
               std::to_string(study.done_runs), std::to_string(study.failed_runs), state_of(study),
               record.created_utc});
  }
  if (as_json) return exit_done;
  if (studies.empty() && unreadable.empty()) {
    print("no studies in {}; `kernelscape study FILE` makes one\n", store.path().string());
  } else if (!studies.empty()) {
    print(table.text());
  }
  return exit_done;
}

Result<int> delete_stored(Store& store, StudyId id) {
  const StudySummary study = TRY(store.study(id));
  TRY(store.delete_study(id));
  print("deleted study {} ({}) with the sessions of its {} runs\n", id, study.record.name,
        study.record.run_count);
  return exit_done;
}

Result<int> run_study(const CLI::App& command, const StudyArguments& arguments) {
  TRY(check_arguments(arguments));
  TRY(check_used(command, arguments));
  const bool only_looks = arguments.list || !arguments.show.empty();
  const bool begins = !arguments.file.empty() || defines_study(arguments);
  const OpenMode mode = only_looks ? OpenMode::ReadOnly : begins ? OpenMode::ReadWrite : OpenMode::Existing;
  Store store = TRY(open_store(arguments.database, mode));
  if (arguments.list) return print_studies(store, arguments.json);
  const std::string& stored = !arguments.resume.empty() ? arguments.resume
                              : !arguments.show.empty() ? arguments.show
                                                        : arguments.remove;
  if (stored.empty()) return begin(store, arguments);
  const StudyId id = TRY(store.find_study(stored));
  if (!arguments.remove.empty()) return delete_stored(store, id);
  if (!arguments.resume.empty()) return execute(store, id, arguments);
  const Store shown = TRY(with_analysed_sessions(std::move(store), id));
  TRY(print_study(shown, id, arguments));
  return exit_done;
}

void add_definition_options(CLI::App& app, StudyArguments& arguments) {
  app.add_option("FILE", arguments.file, "A study as JSON, or the name of a shipped one");
  app.add_option("--tasks", arguments.tasks, "Instead of FILE: tasks, separated by commas")
      ->type_name("TASK,TASK")
      ->delimiter(',');
  app.add_option(
         "--target", arguments.targets,
         "What they run on: cpu (default), a GPU such as cuda:0, or recorded:FILE, which needs no task")
      ->type_name("TARGET");
  app.add_option("--template", arguments.template_name, "Default: the first that fits")->type_name("NAME");
  app.add_option("--tuners", arguments.tuners, "Tuners, with settings after colons: nose,ga:population=50")
      ->type_name("TUNER,TUNER")
      ->delimiter(',');
  app.add_option("--repeats", arguments.repeats, "Runs of every tuner on every task, each with its own seed")
      ->type_name("N")
      ->check(whole_in_range(1, 10'000));
  app.add_option("--trials", arguments.trials, "End a run after so many trials; 0: no limit (default: 500)")
      ->type_name("N")
      ->check(whole_in_range(0, most_trials));
  app.add_option("--minutes", arguments.minutes, "End a run after so many minutes; 0: no limit (default)")
      ->type_name("M")
      ->check(in_range(0, 1e6));
  app.add_option("--search-time", arguments.search_time,
                 "How tuners' own time counts in replays: measured (default), none, or seconds per candidate")
      ->type_name("TIME");
  app.add_option("--seed", arguments.seed, "What the seeds of the runs are made from (default: 1)")
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
  CLI::App* app = program.add_subcommand("study", "Compare tuners: every one on every task, several times");
  add_definition_options(*app, *arguments);
  app->add_option("--jobs", arguments->jobs, "Replays at the same time; 0: one per core (default)")
      ->type_name("N")
      ->check(whole_in_range(0, 4096));
  app->add_flag("--by-task", arguments->by_task, "A table of every tuner on every task as well");
  app->add_option("--resume", arguments->resume, "Go on with a study: what is missing or failed")
      ->type_name("STUDY");
  app->add_option("--show", arguments->show, "The tables of a study of the database")->type_name("STUDY");
  app->add_flag("--list", arguments->list, "All studies of the database, newest first");
  app->add_option("--delete", arguments->remove, "Delete a study with its sessions")->type_name("STUDY");
  add_database_option(*app, arguments->database);
  add_json_option(*app, arguments->json);
  return {app, [app, arguments] { return run_study(*app, *arguments); }};
}

}  // namespace kernelscape
