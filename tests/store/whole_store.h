#pragma once

#include <vector>

#include "core/store/store.h"

namespace kernelscape::store_test {

/** Every session that can be listed or that a study names; nothing of what cannot be read. */
inline std::vector<store::SessionId> all_sessions(const store::Store& store) {
  std::vector<store::SessionId> ids;
  if (const auto sessions = store.session_list())
    for (const store::SessionSummary& summary : *sessions) ids.push_back(summary.record.id);
  if (const auto trashed = store.trashed_sessions()) ids.insert(ids.end(), trashed->begin(), trashed->end());
  if (const auto studies = store.studies()) {
    for (const store::StudySummary& study : *studies) {
      const auto runs = store.study_runs(study.record.id);
      if (!runs) continue;
      for (const store::StudyRun& run : *runs)
        if (run.session) ids.push_back(*run.session);
    }
  }
  return ids;
}

/** Reads all that can be read, past every error; the first one, if there is one. */
inline Status read_everything(const store::Store& store) {
  Status first;
  const auto take = [&first](const auto& read) {
    if (!read && first) first = std::unexpected(read.error());
  };
  std::vector<Error> unreadable;
  take(store.sessions(&unreadable));
  take(store.session_list(&unreadable));
  take(store.studies(&unreadable));
  if (const auto studies = store.studies()) {
    for (const store::StudySummary& study : *studies) {
      take(store.study(study.record.id));
      const auto runs = store.study_runs(study.record.id);
      take(runs);
      if (!runs) continue;
      for (const store::StudyRun& run : *runs)
        if (run.session && !run.error.empty() && run.error == run.status.state_reason)
          unreadable.push_back({ErrorCode::Corrupt, run.error, "its session is damaged"});
    }
  }
  take(store.predictors(&unreadable));
  if (const auto predictors = store.predictors()) {
    for (const store::PredictorSummary& predictor : *predictors) {
      take(store.predictor_checkpoint(predictor.record.id));
      if (predictor.state == store::PredictorState::Done) take(store.predictor_bytes(predictor.record.id));
    }
  }
  take(store.machine_measure("this machine", "ceilings"));
  take(store.study_measure(1, "network pass"));
  take(store.trashed_sessions());
  take(store.trashed_studies());
  for (const store::SessionId id : all_sessions(store)) {
    const auto session = store.session(id);
    take(session);
    if (session && session->record.recording != 0) take(store.recording(session->record.recording));
    take(store.trials(id));
    take(store.batches(id));
    take(store.series(id));
    take(store.confirmations(id));
    take(store.interruptions(id));
    take(store.notices(id));
    take(store.trial_insight(id, 3, "counters"));
    take(store.has_resources(id));
    take(store.workers(id));
    take(store.metrics(id));
    const auto rows = store.rows(id);
    take(rows);
    if (!rows) continue;
    for (const store::Store::ArrivedRow& row : *rows) {
      if (row.message != 0) take(store.message(row.message));
      if (row.build_log != 0) take(store.message(row.build_log));
    }
  }
  if (first && !unreadable.empty()) first = std::unexpected(unreadable.front());
  return first;
}

}  // namespace kernelscape::store_test
