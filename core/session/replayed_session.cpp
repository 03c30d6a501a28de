#include "core/session/replayed_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/session/engine.h"
#include "core/session/replayed_batches.h"
#include "core/session/run_features.h"
#include "core/session/setup.h"
#include "core/session/steps.h"

namespace kernelscape::session {
namespace {

/** What a replay runs with, owned by the caller. */
struct ReplayTools {
  store::Store& store;
  const trial::Recording& recording;
  Observer& observer;
  const StopRequest& stop;
  std::shared_ptr<FeatureBill> feature_bill;  ///< of the setup's features; null: no row is billed
};

store::SessionRecord make_replay_record(const Setup& setup, const trial::RecordingHeader& header,
                                        store::RecordingId recording) {
  store::SessionRecord record = make_record(setup);
  record.kind = store::SessionKind::Replayed;
  record.recording = recording;
  record.target_name = fmt::format("{}{}", recorded_target_prefix, header.name);
  record.target_json = header.target_json;
  record.usual_probe = header.usual_probe;
  record.probe_version = header.probe_version;
  return record;
}

Status check_recorded(store::SessionId id, const std::vector<store::StoredBatch>& batches,
                      const trial::Recording& recording) {
  for (const store::StoredBatch& batch : batches) {
    const bool recorded = std::ranges::all_of(
        batch.candidates, [&](const auto& candidate) { return recording.find(candidate).has_value(); });
    if (recorded) continue;
    return fail(
        ErrorCode::Corrupt,
        fmt::format("batch {} of session {} has a configuration that was not recorded", batch.batch, id),
        "the session can be viewed, not resumed");
  }
  return {};
}

Result<Outcome> run_replayed(const ReplayTools& tools, store::SessionId id, const Setup& setup,
                             trial::BudgetPlan plan, EarlierRuns earlier) {
  const double charged_seconds = earlier.status.search_seconds;
  ReplayAccounting clock(setup.options.search_time.kind, tools.feature_bill, charged_seconds);
  RunningSession session{tools.store, id,    setup,           tools.observer,
                         tools.stop,  clock, std::move(plan), std::move(earlier)};
  ReplayedBatches batches(session, clock, tools.recording);
  return Engine(session, batches).run();
}

Result<Outcome> begin_replay(const ReplayTools& tools, const Setup& setup) {
  store::Store& store = tools.store;
  const store::RecordingId recording = TRY(store.recordings().add(tools.recording));
  store::SessionRecord record = make_replay_record(setup, tools.recording.header(), recording);
  const store::Owner owner = store::Owner::this_process();
  record.id = TRY(create_session_of(store, setup, record, owner));
  const Ownership ownership(store, record.id, owner);
  tools.observer.started(record.id, record);
  return run_replayed(tools, record.id, setup, trial::make_budget_plan(setup.budget), {});
}

Result<Outcome> resume_replay(const ReplayTools& tools, store::SessionId id, const Setup& setup) {
  store::Store& store = tools.store;
  const store::Owner owner = store::Owner::this_process();
  const store::SessionSummary before = TRY(claim_stored_session(store, id, setup, owner));
  const Ownership ownership(store, id, owner);
  std::vector<store::StoredBatch> batches = TRY(store.batches().of(id));
  TRY(check_recorded(id, batches, tools.recording));
  ResumedSession resumed = TRY(notify_resumed(store, before, tools.observer));
  return run_replayed(tools, id, setup, std::move(resumed.plan),
                      {std::move(resumed.status), true, std::move(batches)});
}

}  // namespace

Result<Outcome> run_replay(store::Store& store, const PreparedTuning& tuning,
                           std::optional<store::SessionId> resumed, Observer& observer,
                           const StopRequest& stop) {
  Setup setup = TRY(with_batch_size(tuning.setup, tuning.recording->header().builders));
  ReplayTools tools{store, *tuning.recording, observer, stop, nullptr};
  const bool measured = setup.options.search_time.kind == trial::SearchTime::Kind::Measured;
  if (measured && setup.options.clock == trial::BatchClock::Waves) {
    tools.feature_bill = std::make_shared<FeatureBill>();
    setup.features = features_of_run(setup.features, tools.feature_bill);
  }
  return resumed ? resume_replay(tools, *resumed, setup) : begin_replay(tools, setup);
}

}  // namespace kernelscape::session
