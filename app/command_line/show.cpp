#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/front_text.h"
#include "app/command_line/json_events.h"
#include "app/command_line/report_text.h"
#include "app/command_line/shared_options.h"
#include "core/base/numbers.h"

namespace kernelscape::command_line {
namespace {

struct ShowOptions {
  std::string session;
  std::string database;
  FrontOptions front{};
  bool json = false;
};

/** Only what limits the session. */
std::string budget_text(const trial::Budget& budget) {
  std::string text;
  const auto add = [&](auto value, std::string_view unit) {
    if (value > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", value, unit);
  };
  add(budget.trials, "trials");
  add(budget.minutes, "minutes");
  add(budget.target_gflops, "GFLOPS");
  add(budget.patience, "trials without a better one");
  return text.empty() ? "none" : text;
}

/** " (device, instructions, cores, compiler)"; an architecture without a device has no cores. */
std::string description_of(const schedule::TargetDescription& target) {
  std::string text = fmt::format(" ({}, {}", target.device, target.isa);
  if (!target.architecture_only) text += ", " + cores_text(target);
  if (!target.compiler_version.empty()) text += ", " + target.compiler_version;
  return text + ")";
}

base::TerminalText made_from_text(const session::Report& report) {
  const store::SessionRecord& record = report.session.record;
  const Result<schedule::TargetDescription> target = schedule::target_from_json(record.target_json);
  base::TerminalText text = base::write<base::Terminal>("created     {} by version {}\n", record.created_utc,
                                                        record.program_version);
  text +=
      base::write<base::Terminal>("task        {}{}\n", record.task_name,
                                  report.task.text.empty() ? std::string() : " (" + report.task.text + ")");
  text += base::write<base::Terminal>("target      {}{}\n", record.target_name,
                                      target ? description_of(*target) : std::string());
  const std::string made_by =
      record.project_hash.empty()
          ? fmt::format("template    {} version {}", record.template_name, record.template_version)
          : fmt::format("project     content {}", record.project_hash);
  text += base::write<base::Terminal>(
      "{}, {} configurations\n", made_by,
      report.space ? base::with_thousands(base::to_string(report.space->size())) : "unknown");
  text += base::write<base::Terminal>("tuner       {} {}, batches of {}, seed {}\n", record.tuner,
                                      record.settings_json, record.batch_size, record.seed);
  text += base::write<base::Terminal>("budget      {}\n", budget_text(report.budget));
  for (const std::string& problem : report.problems)
    text += base::write<base::Terminal>("unreadable  {}\n", message_text(problem));
  return text;
}

base::TerminalText confirmed_text(const session::Report& report) {
  if (report.confirmed.empty()) return {};
  TextTable table({"confirmed trial", "median", "speed"});
  for (const analysis::ConfirmedTrial& trial : report.confirmed) {
    table.add({std::to_string(trial.trial), base::time_text(trial.seconds.median),
               base::speed_text(report.task.flops(), trial.seconds.median)});
  }
  return "\n" + table.text();
}

Result<int> run_show(const ShowOptions& options) {
  const store::Store store = TRY(open_store(options.database));
  const store::SessionId id = TRY(find_one_session(store, options.session));
  const session::Report report = TRY(session::make_session_report(store, id));
  if (options.json) {
    print_json_line(session_event(id, report.session.record, store.path().string(), false));
    print_json_line(summary_event(report, report.session.status.state == store::SessionState::Interrupted));
  } else {
    print(made_from_text(report) + report_text(report) + confirmed_text(report));
  }
  if (options.front.column.empty()) return exit_done;
  FrontOptions front = options.front;
  front.json = options.json;
  TRY(print_front(store, id, front));
  return exit_done;
}

}  // namespace

Command add_show_command(CLI::App& program) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* app = program.add_subcommand("show", "Show the setup and the results of a session");
  app->add_option("SESSION", options->session, "Its number or name")->required();
  CLI::Option* pareto =
      app->add_option("--pareto", options->front.column,
                      "Also list the trials of which no other is at least as good in both the time and this "
                      "column, and better in one: a metric such as energy, or another column of numbers")
          ->type_name("COLUMN");
  app->add_option("--better", options->front.better,
                  "With --pareto: whether less or more of the column is better (default: by its unit)")
      ->type_name("DIRECTION")
      ->needs(pareto)
      ->check(CLI::IsMember({"less", "more"}));
  add_database_option(*app, options->database);
  add_json_option(*app, options->json);
  return {app, [options] { return run_show(*options); }};
}

}  // namespace kernelscape::command_line
