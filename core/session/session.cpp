#include "core/session/session.h"

#include "core/session/session_run.h"
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

Result<SessionId> create_session_of(Store& store, const SessionSetup& setup, const SessionRecord& record,
                                    const Owner& owner) {
  if (!setup.study) return store.create_session(record, owner);
  return store.create_session(record, owner, setup.study->study, setup.study->run);
}

Result<SessionOutcome> run_session(Store& store, const SessionSetup& setup, const SessionTools& tools) {
  const SessionSetup complete = TRY(with_batch_size(setup, session_builders(setup)));
  SessionRecord record = make_record(complete);
  const Owner owner = Owner::this_process();
  const SessionId id = TRY(create_session_of(store, complete, record, owner));
  const SessionOwnership ownership(store, id, owner);
  record.id = id;
  tools.observer.started(id, record);
  return SessionRun(store, id, complete, tools, make_budget_plan(setup.budget), {}, {}).run();
}

Result<SessionOutcome> resume_session(Store& store, SessionId id, const SessionSetup& setup,
                                      const SessionTools& tools) {
  const SessionSetup complete = TRY(with_batch_size(setup, session_builders(setup)));
  TRY(check_build_only(complete.options, complete.budget));
  const Owner owner = Owner::this_process();
  // Who held it is read before it is claimed: a dead owner tells of an interruption.
  const SessionSummary before = TRY(store.session(id));
  TRY(check_resumable(id, before.record, complete));
  TRY(store.claim_session(id, owner));
  const SessionOwnership ownership(store, id, owner);

  const SessionSummary stored = TRY(store.session(id));
  std::vector<Store::StoredBatch> batches = TRY(store.batches(id));
  const BudgetPlan plan = TRY(budget_plan_from_json(stored.record.budget_json));
  const BudgetPlan raised = TRY(raise_budget(plan, setup.budget, static_cast<std::int32_t>(batches.size())));
  if (raised != plan) TRY(store.update_budget(id, budget_plan_to_json(raised)));
  TRY(mark_interruption(store, before));
  tools.observer.started(id, stored.record);
  SessionStatus status = stored.status;
  status.state =
      before.status.state == SessionState::Running ? SessionState::Interrupted : before.status.state;
  return SessionRun(store, id, complete, tools, raised, status, std::move(batches)).run();
}

}  // namespace kernelscape
