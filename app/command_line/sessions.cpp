#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_events.h"
#include "app/command_line/shared_options.h"
#include "core/base/numbers.h"
#include "core/exchange/stored_best.h"

namespace kernelscape::command_line {
namespace {

struct SessionsOptions {
  std::string database;
  std::string collection;
  bool json = false;
};

double flops_of(const store::SessionRecord& record) {
  const Result<task::Task> task = task::task_from_json(record.task_json);
  return task ? task->flops() : 0;
}

/** Returns the session's best result. Damaged trials or confirmations leave that of its status. */
analysis::BestResult best_of(const store::Store& store, const store::SessionSummary& session) {
  return exchange::read_best(store, session).value_or(exchange::best_of_status(session.status));
}

/** Returns what disturbed a session: its numbers should not be read without it. Null: it cannot be read. */
nlohmann::json disturbances_of(const store::Store& store, store::SessionId id) {
  const auto notices = store.notices().of(id);
  return notices ? nlohmann::json(trial::disturbances(*notices)) : nlohmann::json();
}

nlohmann::json session_to_json(const store::Store& store, const store::SessionSummary& session) {
  const auto& [record, status, owner, annotation, study] = session;
  const analysis::BestResult best = best_of(store, session);
  return {
      {"session", record.id},
      {"name", record.name},
      {"kind", store::to_string(record.kind)},
      {"origin", store::origin_text(record)},
      {"study", study ? nlohmann::json(*study) : nlohmann::json()},
      {"created_utc", record.created_utc},
      {"task", record.task_name},
      {"target", record.target_name},
      {"template", record.template_name},
      {"tuner", record.tuner},
      {"seed", record.seed},
      {"state", store::to_string(status.state)},
      {"reason", status.state_reason},
      {"trials", status.trial_count},
      {"best_seconds", number_or_null(best.value.seconds)},
      {"best_gflops", number_or_null(base::gflops_of(flops_of(record), best.value.seconds))},
      {"best_trial", best.exists() ? nlohmann::json(best.trial) : nlohmann::json()},
      {"best_mark", best.exists() ? nlohmann::json(exchange::result_mark(record, best)) : nlohmann::json()},
      {"disturbances", disturbances_of(store, record.id)},
      {"session_seconds", status.session_seconds},
      {"tags", annotation.tags},
      {"note", annotation.note},
      {"process", owner && owner->alive() ? nlohmann::json(owner->process_id) : nlohmann::json()}};
}

void print_collections(const std::vector<store::CollectionSummary>& collections) {
  if (collections.empty()) return;
  TextTable table({"collection", "name", "sessions", "trials", "created"});
  for (const store::CollectionSummary& collection : collections) {
    table.add({std::to_string(collection.id), collection.name, std::to_string(collection.sessions),
               std::to_string(collection.trials), collection.created_utc});
  }
  print(table.text());
  print("`kernelscape sessions --collection {}` lists its sessions\n", collections.front().id);
}

/** Those of one collection in the order of its file, or those of none. */
std::vector<store::SessionSummary> shown_sessions(std::vector<store::SessionSummary> sessions,
                                                  std::optional<store::StudyId> of) {
  std::erase_if(sessions, [&](const store::SessionSummary& session) { return session.study != of; });
  if (of) std::ranges::reverse(sessions);
  return sessions;
}

/** "448 GFLOPS, confirmed". */
std::string best_text(const store::Store& store, const store::SessionSummary& session) {
  const analysis::BestResult best = best_of(store, session);
  if (!best.exists() || best.value.seconds <= 0) return base::speed_text(flops_of(session.record), 0);
  return fmt::format("{}, {}", base::speed_text(flops_of(session.record), best.value.seconds),
                     exchange::result_mark(session.record, best));
}

void print_sessions(const store::Store& store, const std::vector<store::SessionSummary>& sessions) {
  TextTable table({"session", "kind", "name", "task", "target", "template", "tuner", "trials", "best", "time",
                   "state", "created"});
  for (const store::SessionSummary& session : sessions) {
    const store::SessionRecord& record = session.record;
    const store::SessionStatus& status = session.status;
    table.add({std::to_string(record.id), std::string(store::to_string(record.kind)), record.name,
               record.task_name, record.target_name, record.template_name, record.tuner,
               std::to_string(status.trial_count), best_text(store, session),
               base::clock_text(status.session_seconds), std::string(store::to_string(status.state)),
               record.created_utc});
  }
  print(table.text());
}

/** Programs get every session, as its own line, whatever collection it is in. */
void print_sessions_json(const store::Store& store, const std::vector<store::SessionSummary>& sessions,
                         const std::vector<store::CollectionSummary>& collections) {
  for (const store::SessionSummary& session : sessions) {
    nlohmann::json line = session_to_json(store, session);
    const auto found = std::ranges::find_if(collections, [&](const store::CollectionSummary& collection) {
      return session.study == collection.id;
    });
    line["collection"] = found == collections.end() ? nlohmann::json() : nlohmann::json(found->name);
    print_json_line(line);
  }
}

Result<int> run_sessions(const SessionsOptions& options) {
  const store::Store store = TRY(open_store(options.database));
  std::optional<store::StudyId> collection;
  if (!options.collection.empty()) collection = TRY(store.collections().find(options.collection));
  std::vector<Error> unreadable;
  std::vector<store::SessionSummary> sessions = TRY(store.sessions().list(&unreadable));
  const std::vector<store::CollectionSummary> collections = TRY(store.collections().all());
  // A damaged session does not hide the others.
  for (const Error& problem : unreadable) print_note(describe(problem));
  if (!options.json || collection) sessions = shown_sessions(std::move(sessions), collection);
  if (options.json) {
    print_sessions_json(store, sessions, collections);
    return exit_done;
  }
  if (!collection) print_collections(collections);
  if (!sessions.empty()) {
    print_sessions(store, sessions);
  } else if (collection) {
    print("no sessions in collection {}\n", *collection);
  } else if (collections.empty() && unreadable.empty()) {
    print("no sessions in {}; `kernelscape tune TASK` makes one\n", store.path().string());
  }
  return exit_done;
}

}  // namespace

Command add_sessions_command(CLI::App& program) {
  auto options = std::make_shared<SessionsOptions>();
  CLI::App* app = program.add_subcommand("sessions", "All sessions of the database, newest first");
  app->add_option("--collection", options->collection,
                  "Only the sessions of one import, by its number or name")
      ->type_name("COLLECTION");
  add_database_option(*app, options->database);
  add_json_option(*app, options->json);
  return {app, [options] { return run_sessions(*options); }};
}

}  // namespace kernelscape::command_line
