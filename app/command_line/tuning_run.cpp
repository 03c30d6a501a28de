#include "app/command_line/tuning_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_events.h"
#include "app/command_line/live_display.h"
#include "app/command_line/report_text.h"
#include "app/command_line/standard_output.h"
#include "app/command_line/stop_signals.h"
#include "core/session/failure_advice.h"
#include "core/session/local_run.h"

namespace kernelscape::command_line {
namespace {

Result<DisplaySetup> make_display_setup(const store::Store& store, const TuningRun& run,
                                        const session::StopRequest& stop) {
  DisplaySetup display{.setup = &run.tuning.setup, .stop = &stop, .database = store.path().string()};
  display.resumed = run.resumed.has_value();
  const std::optional<base::uint128> members = run.tuning.setup.space.member_count();
  if (members && *members < base::uint128{INT64_MAX})
    display.member_count = static_cast<std::int64_t>(*members);
  if (run.resumed) {
    const session::Report report = TRY(session::make_session_report(store, *run.resumed));
    display.errors = report.errors.errors().trials;
  }
  return display;
}

void print_end(const session::Report& report, bool interrupted, const TuningRun& run) {
  if (run.json) {
    print_json_line(summary_event(report, interrupted));
    return;
  }
  const store::SessionId id = report.session.record.id;
  const std::string_view more = interrupted                                          ? ""
                                : session::failed_identically(report.session.status) ? " --keep-going"
                                                                                     : " --trials N";
  print("\n{}\nsee it again with `kernelscape show {}`; continue with `kernelscape resume {}{}`\n",
        report_text(report), id, id, more);
}

/** Returns the message at the end of a session without a valid trial. */
std::unexpected<Error> no_valid_kernel(const session::Report& report) {
  if (report.session.status.trial_count == 0)
    return fail(ErrorCode::Environment,
                "no configuration was measured: " + report.session.status.state_reason,
                "give the session a larger budget, or change the conditions on the search space");
  std::string message =
      fmt::format("no valid kernel was found in {} trials", report.session.status.trial_count);
  if (report.failure && !report.failure->text.empty()) message += ": " + report.failure->text;
  std::string advice = session::failure_advice(report);
  if (session::failed_identically(report.session.status)) {
    advice += fmt::format(" To measure more configurations anyway: `kernelscape resume {} --keep-going`",
                          report.session.record.id);
  }
  return fail(ErrorCode::Environment, std::move(message), std::move(advice));
}

}  // namespace

Result<int> run_tuning(store::Store& store, const TuningRun& run) {
  const session::StopRequest& stop = stop_on_signals();
  keep_going_without_output();
  const DisplaySetup display_setup = TRY(make_display_setup(store, run, stop));
  std::unique_ptr<session::Observer> display =
      run.json ? make_json_display(display_setup) : make_text_display(display_setup);
  const Result<session::Outcome> outcome =
      session::run_on_this_machine(store, run.tuning, run.resumed, *display, stop);
  display.reset();
  if (!outcome) {
    if (run.json) {
      print_json_line(
          message_event(run.resumed.value_or(0), "error", outcome.error().message, outcome.error().hint));
    }
    if (stop.level() > 0 && outcome.error().code == ErrorCode::Refused) return exit_interrupted;
    return std::unexpected(outcome.error());
  }
  const session::Report report = TRY(session::make_session_report(store, outcome->id));
  print_end(report, outcome->interrupted, run);
  if (outcome->interrupted) return exit_interrupted;
  if (report.best_trial || report.options.build_only) return exit_done;
  return no_valid_kernel(report);
}

}  // namespace kernelscape::command_line
