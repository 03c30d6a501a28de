#include <fmt/format.h>

#include <memory>

#include "app/command_line/command.h"
#include "app/command_line/shared_options.h"

namespace kernelscape {
namespace {

struct DeleteOptions {
  std::string session;
  std::string database;
};

Result<int> run_delete(const DeleteOptions& options) {
  Result<Store> store = open_store(options.database);
  if (!store) return std::unexpected(store.error());
  const Result<SessionId> id = store->find_session(options.session);
  if (!id) return std::unexpected(id.error());
  const Result<SessionSummary> session = store->session(*id);
  if (!session) return std::unexpected(session.error());
  if (const Status deleted = store->delete_session(*id); !deleted) return std::unexpected(deleted.error());
  fmt::print("deleted session {} ({}, {} trials)\n", *id, session->record.task_name,
             session->status.trial_count);
  return exit_done;
}

}  // namespace

Command add_delete_command(CLI::App& program) {
  auto options = std::make_shared<DeleteOptions>();
  CLI::App* app = program.add_subcommand("delete", "Delete a session with its trials");
  app->add_option("SESSION", options->session, "Its number or name")->required();
  add_database_option(*app, options->database);
  return {app, [options] { return run_delete(*options); }};
}

}  // namespace kernelscape
