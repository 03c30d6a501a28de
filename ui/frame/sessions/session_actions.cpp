#include "ui/frame/sessions/session_actions.h"

#include "ui/workspace/notices.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape::frame {
namespace {

Result<session::TuningRequest> read_request(const std::filesystem::path& database, store::SessionId id) {
  const store::Store store = TRY(store::Store::open(database, store::OpenMode::ReadOnly));
  const store::SessionSummary session = TRY(store.sessions().get(id));
  return session::request_of(session.record);
}

}  // namespace

SessionActions::SessionActions(workspace::Workspace& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {}

void SessionActions::open(store::SessionId id) {
  workspace_.open_session(id);
  emit opened(id);
}

void SessionActions::toggle_pinned(store::SessionId id) {
  std::set<store::SessionId> pinned = workspace_.pinned();
  if (pinned.erase(id) == 0) pinned.insert(id);
  workspace_.set_pinned(pinned);
}

std::optional<workspace::RunView> SessionActions::run_of(store::SessionId id) const {
  for (workspace::RunView& run : workspace_.queue().runs()) {
    if (run.session == id && !workspace::has_ended(run.state)) return std::move(run);
  }
  return std::nullopt;
}

void SessionActions::resume(store::SessionId id) {
  if (!run_of(id)) workspace_.queue().resume(id);
}

void SessionActions::pause(store::SessionId id) {
  if (const auto run = run_of(id)) workspace_.queue().pause(run->id);
}

void SessionActions::stop(store::SessionId id) {
  if (const auto run = run_of(id)) workspace_.queue().stop(run->id);
}

void SessionActions::rename(store::SessionId id, const QString& name) {
  workspace_.write(
      [&](store::Store& store) { return store.sessions().set_name(id, name.trimmed().toStdString()); });
}

void SessionActions::rename_collection(store::StudyId id, const QString& name) {
  if (name.trimmed().isEmpty()) return;
  workspace_.write(
      [&](store::Store& store) { return store.studies().set_name(id, name.trimmed().toStdString()); });
}

void SessionActions::remove(store::SessionId id, const QString& title) {
  if (!workspace_.write([id](store::Store& store) { return store.sessions().trash(id); })) return;
  if (workspace_.opened() == id) workspace_.close_source();
  emit deleted(id, title);
}

void SessionActions::bring_back(store::SessionId id) {
  workspace_.write([id](store::Store& store) { return store.sessions().restore(id); });
}

void SessionActions::duplicate(store::SessionId id) {
  job_.start([database = workspace_.database(),
              id](const workspace::JobControl&) { return read_request(database, id); },
             [this](const Result<session::TuningRequest>& request) {
               if (!request) {
                 workspace_.notices().fail(request.error());
                 return;
               }
               session::TuningRequest again = *request;
               // Two sessions with the same name would not be distinguishable for `resume NAME`.
               again.name.clear();
               emit run_requested(again);
             });
}

void SessionActions::acknowledge_lost(const std::vector<store::SessionId>& ids) {
  workspace_.write([&](store::Store& store) -> Status {
    const store::Owner owner = store::Owner::this_process();
    for (const store::SessionId id : ids) {
      TRY(store.sessions().claim(id, owner));
      TRY(store.sessions().release(id, owner));
    }
    return {};
  });
}

}  // namespace kernelscape::frame
