#include <memory>
#include <optional>
#include <string>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/shared_options.h"

namespace kernelscape::command_line {
namespace {

struct DeleteOptions {
  std::optional<std::string> session;
  std::optional<std::string> collection;
  std::string database;
};

Result<int> delete_collection(store::Store& store, const std::string& name) {
  const store::StudyId id = TRY(store.collections().find(name));
  const store::StudySummary collection = TRY(store.studies().get(id));
  TRY(store.studies().remove(id));
  print("deleted collection {} ({}) with its sessions\n", id, collection.record.name);
  return exit_done;
}

Result<int> run_delete(const DeleteOptions& options) {
  if (options.session.has_value() == options.collection.has_value()) {
    return fail(ErrorCode::InvalidArgument, "delete takes a session or a collection",
                "`kernelscape delete SESSION`, or `kernelscape delete --collection COLLECTION`");
  }
  store::Store store = TRY(open_store(options.database, store::OpenMode::Existing));
  if (options.collection) return delete_collection(store, *options.collection);
  const store::SessionId id = TRY(find_one_session(store, *options.session));
  const store::SessionSummary session = TRY(store.sessions().get(id));
  TRY(store.sessions().remove(id));
  print("deleted session {} ({}, {} trials)\n", id, session.record.task_name, session.status.trial_count);
  return exit_done;
}

}  // namespace

Command add_delete_command(CLI::App& program) {
  auto options = std::make_shared<DeleteOptions>();
  CLI::App* app = program.add_subcommand("delete", "Delete a session with its trials, or a collection");
  app->add_option("SESSION", options->session, "Its number or name");
  app->add_option("--collection", options->collection,
                  "Instead of SESSION: all sessions of one import, by its number or name")
      ->type_name("COLLECTION");
  add_database_option(*app, options->database);
  return {app, [options] { return run_delete(*options); }};
}

}  // namespace kernelscape::command_line
