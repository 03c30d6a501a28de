#pragma once

#include <vector>

#include "core/store/store.h"

namespace kernelscape::store_test {

/** Every session that can be listed or that a study names; nothing of what cannot be read. */
inline std::vector<store::SessionId> all_sessions(const store::Store& store) {
  std::vector<store::SessionId> ids;
  if (const auto sessions = store.sessions().list())
    for (const store::SessionSummary& summary : *sessions) ids.push_back(summary.record.id);
  if (const auto trashed = store.sessions().trashed())
    ids.insert(ids.end(), trashed->begin(), trashed->end());
  if (const auto studies = store.studies().all()) {
    for (const store::StudySummary& study : *studies) {
      const auto runs = store.studies().runs(study.record.id);
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
  take(store.sessions().all(&unreadable));
  take(store.sessions().list(&unreadable));
  take(store.studies().all(&unreadable));
  if (const auto studies = store.studies().all()) {
    for (const store::StudySummary& study : *studies) {
      take(store.studies().get(study.record.id));
      const auto runs = store.studies().runs(study.record.id);
      take(runs);
      if (!runs) continue;
      for (const store::StudyRun& run : *runs)
        if (run.session && !run.error.empty() && run.error == run.status.state_reason)
          unreadable.push_back({ErrorCode::Corrupt, run.error, "its session is damaged"});
    }
  }
  take(store.predictors().all(&unreadable));
  if (const auto predictors = store.predictors().all()) {
    for (const store::PredictorSummary& predictor : *predictors) {
      take(store.predictors().checkpoint(predictor.record.id));
      if (predictor.state == store::PredictorState::Done) take(store.predictors().bytes(predictor.record.id));
    }
  }
  take(store.machines().measure("this machine", "ceilings"));
  take(store.studies().measure(1, "network pass"));
  take(store.sessions().trashed());
  take(store.studies().trashed());
  for (const store::SessionId id : all_sessions(store)) {
    const auto session = store.sessions().get(id);
    take(session);
    if (session && session->record.recording != 0) take(store.recordings().get(session->record.recording));
    take(store.trials().of(id));
    take(store.batches().of(id));
    take(store.series().of(id));
    take(store.confirmations().of(id));
    take(store.interruptions().of(id));
    take(store.notices().of(id));
    take(store.trials().insight(id, 3, "counters"));
    take(store.trials().has_resources(id));
    take(store.trials().workers(id));
    take(store.trials().metrics(id));
    const auto rows = store.trials().rows(id);
    take(rows);
    if (!rows) continue;
    for (const store::ArrivedRow& row : *rows) {
      if (row.message != 0) take(store.trials().message(row.message));
      if (row.build_log != 0) take(store.trials().message(row.build_log));
    }
  }
  if (first && !unreadable.empty()) first = std::unexpected(unreadable.front());
  return first;
}

}  // namespace kernelscape::store_test
