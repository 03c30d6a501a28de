#include "core/session/session.h"

#include "core/session/measured_batches.h"
#include "core/session/session_engine.h"
#include "core/session/setup.h"
#include "core/session/steps.h"

namespace kernelscape {

std::string_view to_string(SessionPhase phase) {
  switch (phase) {
    case SessionPhase::Replaying:
      return "replaying";
    case SessionPhase::Searching:
      return "searching";
    case SessionPhase::Measuring:
      return "measuring";
    case SessionPhase::Confirming:
      return "confirming";
    case SessionPhase::Surveying:
      return "surveying";
  }
  return "unknown";
}

namespace {

double charged_search(const std::vector<Store::StoredBatch>& batches) {
  double seconds = 0;
  for (const Store::StoredBatch& batch : batches) seconds += batch.search_seconds;
  return seconds;
}

Result<SessionOutcome> run_measured(Store& store, SessionId id, const SessionSetup& setup,
                                    const SessionTools& tools, BudgetPlan plan, EarlierRuns earlier) {
  Accounting accounting(tools.clock, earlier.status, charged_search(earlier.batches));
  RunningSession session{store,      id,         setup,           tools.observer,
                         tools.stop, accounting, std::move(plan), std::move(earlier)};
  session.status = session.earlier.status;
  MeasuredBatches batches(session, tools, accounting);
  return SessionEngine(session, batches, tools.kept).run();
}

}  // namespace

Result<SessionOutcome> run_session(Store& store, const SessionSetup& setup, const SessionTools& tools) {
  const SessionSetup complete = TRY(with_batch_size(setup, session_builders(setup)));
  const Owner owner = Owner::this_process();
  SessionRecord record = make_record(complete);
  record.id = TRY(create_session_of(store, complete, record, owner));
  const SessionOwnership ownership(store, record.id, owner);
  tools.observer.started(record.id, record);
  return run_measured(store, record.id, complete, tools, make_budget_plan(setup.budget), {});
}

Result<SessionOutcome> resume_session(Store& store, SessionId id, const SessionSetup& setup,
                                      const SessionTools& tools) {
  const SessionSetup complete = TRY(with_batch_size(setup, session_builders(setup)));
  TRY(check_build_only(complete.options, complete.budget));
  const Owner owner = Owner::this_process();
  const SessionSummary before = TRY(claim_stored_session(store, id, complete, owner));
  const SessionOwnership ownership(store, id, owner);
  std::vector<Store::StoredBatch> batches = TRY(store.batches(id));
  ResumedSession resumed = TRY(notify_resumed(store, before, tools.observer));
  const bool catches_up = !batches.empty();
  return run_measured(store, id, complete, tools, std::move(resumed.plan),
                      {std::move(resumed.status), catches_up, std::move(batches)});
}

}  // namespace kernelscape
