#include "core/session/replayed_session.h"

#include <fmt/format.h>

#include <memory>
#include <tuple>

#include "core/session/replayed_run.h"
#include "core/session/run_features.h"
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
  const std::vector<Store::StoredBatch> batches = TRY(store.batches(id));
  std::vector<StoredReplay> replays;
  replays.reserve(batches.size());
  for (const Store::StoredBatch& batch : batches) {
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
  const RecordingId recording = TRY(store.add_recording(tools.recording));
  SessionRecord record = make_replay_record(setup, tools.recording.header(), recording);
  const Owner owner = Owner::this_process();
  const SessionId id = TRY(create_session_of(store, setup, record, owner));
  const SessionOwnership ownership(store, id, owner);
  record.id = id;
  tools.observer.started(id, record);
  return ReplayedRun(tools, id, setup, make_budget_plan(setup.budget)).run();
}

Result<SessionOutcome> resume_replay(const ReplayTools& tools, SessionId id, const SessionSetup& setup) {
  Store& store = tools.store;
  const Owner owner = Owner::this_process();
  // Who held it is read before it is claimed: a dead owner tells of an interruption.
  const SessionSummary before = TRY(store.session(id));
  TRY(check_resumable(id, before.record, setup));
  const BudgetPlan plan = TRY(budget_plan_from_json(before.record.budget_json));
  std::ignore = TRY(raise_budget(plan, setup.budget, 0));
  TRY(store.claim_session(id, owner));
  const SessionOwnership ownership(store, id, owner);

  const SessionSummary stored = TRY(store.session(id));
  std::vector<StoredReplay> replays = TRY(stored_replays(store, id, tools.recording));
  TRY(mark_interruption(store, before));
  tools.observer.started(id, stored.record);
  SessionStatus status = stored.status;
  if (status.state == SessionState::Running) status.state = SessionState::Interrupted;
  return ReplayedRun(tools, id, setup, plan, status, std::move(replays)).run();
}

}  // namespace

Result<SessionOutcome> run_replay(Store& store, const PreparedTuning& tuning,
                                  std::optional<SessionId> resumed, SessionObserver& observer,
                                  const StopRequest& stop) {
  SessionSetup setup = TRY(with_batch_size(tuning.setup, tuning.recording->header().builders));
  ReplayTools tools{store, *tuning.recording, observer, stop, nullptr};
  const bool measured = setup.options.search_time.kind == SearchTime::Kind::Measured;
  if (measured && setup.options.clock == BatchClock::Waves) {
    tools.feature_bill = std::make_shared<FeatureBill>();
    setup.features = features_of_run(setup.features, tools.feature_bill);
  }
  return resumed ? resume_replay(tools, *resumed, setup) : begin_replay(tools, setup);
}

}  // namespace kernelscape
