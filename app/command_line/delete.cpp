#include <memory>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/shared_options.h"

namespace kernelscape {
namespace {

struct DeleteOptions {
  std::string session;
  std::string database;
};

Result<int> run_delete(const DeleteOptions& options) {
  Store store = TRY(open_store(options.database, OpenMode::Existing));
  const SessionId id = TRY(store.find_session(options.session));
  const SessionSummary session = TRY(store.session(id));
  TRY(store.delete_session(id));
  print("deleted session {} ({}, {} trials)\n", id, session.record.task_name, session.status.trial_count);
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
