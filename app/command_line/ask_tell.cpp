#include "core/session/ask_tell.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "app/command_line/command.h"
#include "app/command_line/line_input.h"
#include "app/command_line/shared_options.h"
#include "app/command_line/standard_output.h"
#include "app/command_line/stop_signals.h"
#include "app/command_line/tuning_options.h"

namespace kernelscape::command_line {
namespace {

constexpr std::int64_t max_client_batch = 65'536;

struct AskTellArguments {
  TuningOptions tuning;
  std::int64_t batch = 0;
  std::string resumed;
};

/** Refuses options that define a session, which a stored session has already. */
Status check_resume_options(const CLI::App& command) {
  for (const char* name : {"SPACE", "--tuner", "--set", "--batch", "--seed", "--target", "--warm-start",
                           "--learn-from", "--name"}) {
    if (command.count(name) == 0) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} with --resume: the session is resumed as it was made", name),
                fmt::format("leave {} out, or begin a new session without --resume", name));
  }
  return {};
}

/** Applies the limits that are given, which must not be lower than the stored ones. */
void raise_client_budget(const CLI::App& command, const trial::Budget& given, trial::Budget& budget) {
  if (command.count("--trials") > 0) budget.trials = given.trials;
  if (command.count("--minutes") > 0) budget.minutes = given.minutes;
  if (command.count("--target-gflops") > 0) budget.target_gflops = given.target_gflops;
  if (command.count("--patience") > 0) budget.patience = given.patience;
  if (command.count("--keep-going") > 0) budget.identical_failures = 0;
}

Result<int> serve_client(store::Store& store, const session::PreparedTuning& tuning,
                         std::optional<store::SessionId> resumed) {
  const session::StopRequest& stop = stop_on_signals();
  keep_going_without_output();
  StandardLines lines(STDIN_FILENO);
  const Result<session::Outcome> outcome = session::run_ask_tell(store, tuning, resumed, lines, stop);
  if (stop.level() > 0) return exit_interrupted;
  if (!outcome) return std::unexpected(outcome.error());
  return exit_done;
}

Result<int> run_ask_tell_command(const CLI::App& command, const AskTellArguments& arguments) {
  const TuningOptions& options = arguments.tuning;
  if (!arguments.resumed.empty()) {
    TRY(check_resume_options(command));
    store::Store store = TRY(open_store(options.database, store::OpenMode::Existing));
    const store::SessionId id = TRY(find_one_session(store, arguments.resumed));
    session::PreparedTuning tuning = TRY(session::prepare_ask_tell_resume(store, id));
    raise_client_budget(command, options.request.budget, tuning.setup.budget);
    return serve_client(store, tuning, id);
  }
  if (options.request.task.empty())
    return fail(ErrorCode::InvalidArgument, "SPACE is required",
                "name a file with a search space, or a session with --resume");
  store::Store store = TRY(open_store(options.database, store::OpenMode::ReadWrite));
  const session::TuningRequest request = TRY(tuning_request(options));
  return serve_client(store, TRY(session::prepare_ask_tell(request, arguments.batch, store)), std::nullopt);
}

void add_client_session_options(CLI::App& command, AskTellArguments& arguments) {
  session::TuningRequest& request = arguments.tuning.request;
  command
      .add_option("--tuner", request.tuner,
                  fmt::format("See `kernelscape tuners` (default: {})", tuner::default_tuner))
      ->type_name("NAME");
  command.add_option("--set", arguments.tuning.settings, "A hyperparameter of the tuner; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      .add_option(
          "--batch", arguments.batch,
          "Configurations that are proposed together, before any of their results is known: the number "
          "that the client measures at the same time (default: the tuner's own, or 1)")
      ->type_name("N")
      ->check(whole_in_range(1, max_client_batch));
  command.add_option("--seed", request.seed, "Seed (default: random, reported and stored)")
      ->type_name("N")
      ->check(whole_in_range(0, largest_seed));
  command
      .add_option("--target", request.target,
                  fmt::format("The device that the client measures on: no other session uses it meanwhile; "
                              "{}: none of this machine (default: cpu)",
                              session::elsewhere_target))
      ->type_name("TARGET");
  command.add_option("--warm-start", request.warm_start, "Warm-start with the trials of another session")
      ->type_name("SESSION");
  command
      .add_option("--learn-from", request.learn_from,
                  "Learn from the trials of a related space: a session, a file with a recorded space, or a "
                  "collection; may be repeated")
      ->type_name("SOURCE")
      ->allow_extra_args(false);
  command.add_option("--name", request.name, "A name for the session")->type_name("NAME");
}

}  // namespace

Command add_ask_tell_command(CLI::App& program) {
  auto arguments = std::make_shared<AskTellArguments>();
  TuningOptions& options = arguments->tuning;
  CLI::App* app = program.add_subcommand(
      "ask-tell",
      "Propose configurations to a client, which measures them, by JSON lines on standard streams");
  app->add_option("SPACE", options.request.task,
                  "A file with parameters and conditions, as a project has them; it needs no kernel");
  app->add_option("--resume", arguments->resumed,
                  "Instead of SPACE: resume such a session; configurations without a result are asked again")
      ->type_name("SESSION");
  add_client_session_options(*app, *arguments);
  add_trials_option(*app, options.request.budget);
  add_minutes_option(*app, options.request.budget);
  add_quality_options(*app, options.request.budget);
  add_keep_going_option(*app, options.request.budget);
  add_database_option(*app, options.database);
  return {app, [app, arguments] { return run_ask_tell_command(*app, *arguments); }};
}

}  // namespace kernelscape::command_line
