#include "core/session/replayed_session.h"

#include <fmt/format.h>

#include "core/session/replayed_run.h"
#include "core/session/setup.h"
#include "core/session/steps.h"

namespace kernelscape {
namespace {

SessionRecord make_replay_record(const SessionSetup& setup, const RecordingHeader& header,
                                 RecordingId recording) {
  SessionRecord record = make_record(setup);
  record.kind = SessionKind::Replayed;
  record.recording = recording;
  record.target_name = fmt::format("{}{}", recorded_target_prefix, header.name);
  record.target_json = header.target_json;
  return record;
}

/** What is stored, as rows of the recording. */
Result<std::vector<StoredReplay>> stored_replays(const Store& store, SessionId id,
                                                 const Recording& recording) {
  const Result<std::vector<Store::StoredBatch>> batches = store.batches(id);
  if (!batches) return std::unexpected(batches.error());
  std::vector<StoredReplay> replays;
  replays.reserve(batches->size());
  for (const Store::StoredBatch& batch : *batches) {
    StoredReplay& replay = replays.emplace_back();
    replay.search_seconds = batch.search_seconds;
    for (const Configuration& candidate : batch.candidates) {
      const std::optional<std::uint32_t> row = recording.find(candidate);
      if (!row) {
        return fail(
            ErrorCode::Corrupt,
            fmt::format("batch {} of session {} has a configuration that was not recorded", batch.batch, id),
            "the session can be viewed, not resumed");
      }
      replay.rows.push_back(*row);
    }
  }
  return replays;
}

Result<SessionOutcome> begin_replay(const ReplayTools& tools, const SessionSetup& setup) {
  Store& store = tools.store;
  const Result<RecordingId> recording = store.add_recording(tools.recording);
  if (!recording) return std::unexpected(recording.error());
  SessionRecord record = make_replay_record(setup, tools.recording.header(), *recording);
  const Owner owner = Owner::this_process();
  const Result<SessionId> id = create_session_of(store, setup, record, owner);
  if (!id) return std::unexpected(id.error());
  const SessionOwnership ownership(store, *id, owner);
  record.id = *id;
  tools.observer.started(*id, record);
  return ReplayedRun(tools, *id, setup, make_budget_plan(setup.budget)).run();
}

Result<SessionOutcome> resume_replay(const ReplayTools& tools, SessionId id, const SessionSetup& setup) {
  Store& store = tools.store;
  const Owner owner = Owner::this_process();
  // Who held it is read before it is claimed: a dead owner tells of an interruption.
  const Result<SessionSummary> before = store.session(id);
  if (!before) return std::unexpected(before.error());
  if (const Status same = check_resumable(id, before->record, setup); !same)
    return std::unexpected(same.error());
  const Result<BudgetPlan> plan = budget_plan_from_json(before->record.budget_json);
  if (!plan) return std::unexpected(plan.error());
  if (const Result<BudgetPlan> raised = raise_budget(*plan, setup.budget, 0); !raised)
    return std::unexpected(raised.error());
  if (const Status claimed = store.claim_session(id, owner); !claimed)
    return std::unexpected(claimed.error());
  const SessionOwnership ownership(store, id, owner);

  const Result<SessionSummary> stored = store.session(id);
  if (!stored) return std::unexpected(stored.error());
  Result<std::vector<StoredReplay>> replays = stored_replays(store, id, tools.recording);
  if (!replays) return std::unexpected(replays.error());
  if (const Status marked = mark_interruption(store, *before); !marked)
    return std::unexpected(marked.error());
  tools.observer.started(id, stored->record);
  SessionStatus status = stored->status;
  if (status.state == SessionState::Running) status.state = SessionState::Interrupted;
  return ReplayedRun(tools, id, setup, *plan, status, std::move(*replays)).run();
}

}  // namespace

Result<SessionOutcome> run_replay(Store& store, const PreparedTuning& tuning,
                                  std::optional<SessionId> resumed, SessionObserver& observer,
                                  const StopRequest& stop) {
  const Result<SessionSetup> setup = with_batch_size(tuning.setup);
  if (!setup) return std::unexpected(setup.error());
  const ReplayTools tools{store, *tuning.recording, observer, stop};
  return resumed ? resume_replay(tools, *resumed, *setup) : begin_replay(tools, *setup);
}

}  // namespace kernelscape
