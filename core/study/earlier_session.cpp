#include "core/study/earlier_session.h"

#include <vector>

#include "core/session/setup.h"
#include "core/study/execution.h"

namespace kernelscape::study {
namespace {

/** Returns the sessions of networks, which lists of sessions leave out. */
Result<std::vector<store::SessionId>> sessions_of_networks(const store::Store& store,
                                                           store::StudyId without) {
  std::vector<store::SessionId> sessions;
  for (const store::StudySummary& study : TRY(store.studies().all())) {
    if (study.record.id == without || purpose_of(study.record) != Purpose::Network) continue;
    for (const store::StudyRun& run : TRY(store.studies().runs(study.record.id)))
      if (run.session) sessions.push_back(*run.session);
  }
  return sessions;
}

bool is_same_work(const store::SessionRecord& record, const session::Setup& setup) {
  if (!store::measured_here(record) || record.template_name != setup.template_name ||
      record.template_version != setup.template_version ||
      record.target_json != schedule::target_to_json(setup.target))
    return false;
  const Result<task::Task> task = task::task_from_json(record.task_json);
  return task && task->op == setup.task.op && task->definition == setup.task.definition;
}

}  // namespace

Result<std::optional<store::SessionId>> earlier_session(const store::Store& store,
                                                        const session::Setup& setup, store::StudyId without) {
  std::vector<store::SessionId> candidates = TRY(sessions_of_networks(store, without));
  std::vector<Error> unreadable;
  for (const store::SessionSummary& session : TRY(store.sessions().list(&unreadable)))
    candidates.push_back(session.record.id);
  std::optional<store::SessionId> best;
  double best_seconds = 0;
  for (const store::SessionId id : candidates) {
    const Result<store::SessionSummary> session = store.sessions().get(id);
    if (!session || session->status.best_trial < 0 || session->annotation.trashed) continue;
    if (best && session->status.best_seconds >= best_seconds) continue;
    if (!is_same_work(session->record, setup)) continue;
    best = id;
    best_seconds = session->status.best_seconds;
  }
  return best;
}

}  // namespace kernelscape::study
