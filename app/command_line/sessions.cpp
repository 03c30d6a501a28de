#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_events.h"
#include "app/command_line/shared_options.h"
#include "core/base/numbers.h"

namespace kernelscape {
namespace {

struct SessionsOptions {
  std::string database;
  bool json = false;
};

double flops_of(const SessionRecord& record) {
  const Result<Task> task = task_from_json(record.task_json);
  return task ? task->flops() : 0;
}

nlohmann::json session_to_json(const SessionSummary& session) {
  const auto& [record, status, owner, annotation, study] = session;
  return {{"session", record.id},
          {"name", record.name},
          {"kind", to_string(record.kind)},
          {"origin", origin_text(record)},
          {"study", study ? nlohmann::json(*study) : nlohmann::json()},
          {"created_utc", record.created_utc},
          {"task", record.task_name},
          {"target", record.target_name},
          {"template", record.template_name},
          {"tuner", record.tuner},
          {"seed", record.seed},
          {"state", to_string(status.state)},
          {"reason", status.state_reason},
          {"trials", status.trial_count},
          {"best_seconds", number_or_null(status.best_seconds)},
          {"best_gflops", number_or_null(gflops_of(flops_of(record), status.best_seconds))},
          {"session_seconds", status.session_seconds},
          {"tags", annotation.tags},
          {"note", annotation.note},
          {"process", owner && owner->alive() ? nlohmann::json(owner->process_id) : nlohmann::json()}};
}

Result<int> run_sessions(const SessionsOptions& options) {
  const Store store = TRY(open_store(options.database));
  std::vector<Error> unreadable;
  const std::vector<SessionSummary> sessions = TRY(store.session_list(&unreadable));
  // One that is damaged hides no other.
  for (const Error& problem : unreadable) print_note(describe(problem));
  TextTable table({"session", "kind", "name", "task", "target", "template", "tuner", "trials", "best", "time",
                   "state", "created"});
  for (const SessionSummary& session : sessions) {
    const SessionRecord& record = session.record;
    const SessionStatus& status = session.status;
    if (options.json) {
      print_json_line(session_to_json(session));
      continue;
    }
    table.add({std::to_string(record.id), std::string(to_string(record.kind)), record.name, record.task_name,
               record.target_name, record.template_name, record.tuner, std::to_string(status.trial_count),
               speed_text(flops_of(record), status.best_seconds), clock_text(status.session_seconds),
               std::string(to_string(status.state)), record.created_utc});
  }
  if (options.json) return exit_done;
  if (sessions.empty() && unreadable.empty()) {
    print("no sessions in {}; `kernelscape tune TASK` makes one\n", store.path().string());
  } else if (!sessions.empty()) {
    print(table.text());
  }
  return exit_done;
}

}  // namespace

Command add_sessions_command(CLI::App& program) {
  auto options = std::make_shared<SessionsOptions>();
  CLI::App* app = program.add_subcommand("sessions", "All sessions of the database, newest first");
  add_database_option(*app, options->database);
  add_json_option(*app, options->json);
  return {app, [options] { return run_sessions(*options); }};
}

}  // namespace kernelscape
