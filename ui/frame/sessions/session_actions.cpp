#include "ui/frame/sessions/session_actions.h"

#include "ui/workspace/notices.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape {
namespace {

Result<TuningRequest> read_request(const std::filesystem::path& database, SessionId id) {
  const Store store = TRY(Store::open(database, OpenMode::ReadOnly));
  const SessionSummary session = TRY(store.session(id));
  return request_of(session.record);
}

}  // namespace

SessionActions::SessionActions(Workspace& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {}

void SessionActions::open(SessionId id) {
  workspace_.open_session(id);
  emit opened(id);
}

void SessionActions::toggle_pinned(SessionId id) {
  std::set<SessionId> pinned = workspace_.pinned();
  if (pinned.erase(id) == 0) pinned.insert(id);
  workspace_.set_pinned(pinned);
}

std::optional<RunView> SessionActions::run_of(SessionId id) const {
  for (RunView& run : workspace_.queue().runs()) {
    if (run.session == id && !has_ended(run.state)) return std::move(run);
  }
  return std::nullopt;
}

void SessionActions::resume(SessionId id) {
  if (!run_of(id)) workspace_.queue().resume(id);
}

void SessionActions::pause(SessionId id) {
  if (const auto run = run_of(id)) workspace_.queue().pause(run->id);
}

void SessionActions::stop(SessionId id) {
  if (const auto run = run_of(id)) workspace_.queue().stop(run->id);
}

void SessionActions::rename(SessionId id, const QString& name) {
  workspace_.write([&](Store& store) { return store.set_name(id, name.trimmed().toStdString()); });
}

void SessionActions::rename_collection(StudyId id, const QString& name) {
  if (name.trimmed().isEmpty()) return;
  workspace_.write([&](Store& store) { return store.set_study_name(id, name.trimmed().toStdString()); });
}

void SessionActions::remove(SessionId id, const QString& title) {
  if (!workspace_.write([id](Store& store) { return store.trash_session(id); })) return;
  if (workspace_.opened() == id) workspace_.close_source();
  emit deleted(id, title);
}

void SessionActions::bring_back(SessionId id) {
  workspace_.write([id](Store& store) { return store.restore_trashed(id); });
}

void SessionActions::duplicate(SessionId id) {
  job_.start([database = workspace_.database(), id](const JobControl&) { return read_request(database, id); },
             [this](const Result<TuningRequest>& request) {
               if (!request) {
                 workspace_.notices().fail(request.error());
                 return;
               }
               TuningRequest again = *request;
               // Two sessions with the same name would not be distinguishable for `resume NAME`.
               again.name.clear();
               emit run_requested(again);
             });
}

void SessionActions::acknowledge_lost(const std::vector<SessionId>& ids) {
  workspace_.write([&](Store& store) -> Status {
    const Owner owner = Owner::this_process();
    for (const SessionId id : ids) {
      TRY(store.claim_session(id, owner));
      TRY(store.release_session(id, owner));
    }
    return {};
  });
}

}  // namespace kernelscape
