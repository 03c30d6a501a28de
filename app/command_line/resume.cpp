#include <fmt/format.h>

#include <memory>

#include "app/command_line/command.h"
#include "app/command_line/shared_options.h"
#include "app/command_line/tuning_run.h"
#include "core/session/project_preparation.h"

namespace kernelscape::command_line {
namespace {

struct ResumeOptions {
  std::string session;
  std::string database;
  std::optional<std::int64_t> trials;
  std::optional<double> minutes;
  std::optional<double> target_gflops;
  std::optional<std::int64_t> patience;
  bool keep_going = false;
  bool trust = false;
  bool json = false;
};

void raise(const ResumeOptions& options, trial::Budget& budget) {
  budget.trials = options.trials.value_or(budget.trials);
  budget.minutes = options.minutes.value_or(budget.minutes);
  budget.target_gflops = options.target_gflops.value_or(budget.target_gflops);
  budget.patience = options.patience.value_or(budget.patience);
  if (options.keep_going) budget.identical_failures = 0;
}

/** What the project of a stored session holds may be compiled and run from now on. */
Status trust_session(const store::Store& store, store::SessionId id) {
  const auto project = TRY(session::stored_project(store, TRY(store.sessions().get(id)).record));
  return session::require_trust(*project, true);
}

/** Said at once, instead of after the device that the owner holds. */
Status check_owner(store::Store& store, store::SessionId id) {
  const store::SessionSummary session = TRY(store.sessions().get(id));
  const bool owned = session.owner && session.owner->alive();
  return owned ? store.sessions().claim(id, store::Owner::this_process()) : Status();
}

Result<int> run_resume(const ResumeOptions& options) {
  store::Store store = TRY(open_store(options.database, store::OpenMode::Existing));
  const store::SessionId id = TRY(find_one_session(store, options.session));
  TRY(check_owner(store, id));
  if (options.trust) TRY(trust_session(store, id));
  session::PreparedTuning tuning = TRY(session::prepare_resume(store, id));
  raise(options, tuning.setup.budget);
  return run_tuning(store, {std::move(tuning), id, options.json});
}

}  // namespace

Command add_resume_command(CLI::App& program) {
  auto options = std::make_shared<ResumeOptions>();
  CLI::App* app =
      program.add_subcommand("resume", "Resume a session exactly where it ended; budgets can be raised");
  app->add_option("SESSION", options->session, "Its number or name")->required();
  app->add_option("--trials", options->trials,
                  "A higher number of trials, including those measured already; 0: no limit")
      ->type_name("N")
      ->check(whole_in_range(0, max_trials));
  app->add_option("--minutes", options->minutes, "A higher number of minutes; 0: no limit")
      ->type_name("M")
      ->check(in_range(0, 1e6));
  app->add_option("--target-gflops", options->target_gflops, "A higher target; 0: none")
      ->type_name("G")
      ->check(in_range(0, 1e9));
  app->add_option("--patience", options->patience, "A higher patience; 0: no limit")
      ->type_name("N")
      ->check(whole_in_range(0, max_trials));
  app->add_flag("--keep-going", options->keep_going,
                "From now on, continue even if all trials so far failed in the same way");
  app->add_flag("--trust", options->trust,
                "For a session of your own kernel: compile and run the project that it was created from");
  add_database_option(*app, options->database);
  add_json_option(*app, options->json);
  return {app, [options] { return run_resume(*options); }};
}

}  // namespace kernelscape::command_line
