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
  const Result<SessionSetup> complete = with_batch_size(setup);
  if (!complete) return std::unexpected(complete.error());
  SessionRecord record = make_record(*complete);
  const Owner owner = Owner::this_process();
  const Result<SessionId> id = create_session_of(store, *complete, record, owner);
  if (!id) return std::unexpected(id.error());
  const SessionOwnership ownership(store, *id, owner);
  record.id = *id;
  tools.observer.started(*id, record);
  return SessionRun(store, *id, *complete, tools, make_budget_plan(setup.budget), {}, {}).run();
}

Result<SessionOutcome> resume_session(Store& store, SessionId id, const SessionSetup& setup,
                                      const SessionTools& tools) {
  const Result<SessionSetup> complete = with_batch_size(setup);
  if (!complete) return std::unexpected(complete.error());
  if (const Status good = check_build_only(complete->options, complete->budget); !good)
    return std::unexpected(good.error());
  const Owner owner = Owner::this_process();
  // Who held it is read before it is claimed: a dead owner tells of an interruption.
  const Result<SessionSummary> before = store.session(id);
  if (!before) return std::unexpected(before.error());
  if (const Status same = check_resumable(id, before->record, *complete); !same)
    return std::unexpected(same.error());
  if (const Status claimed = store.claim_session(id, owner); !claimed)
    return std::unexpected(claimed.error());
  const SessionOwnership ownership(store, id, owner);

  const Result<SessionSummary> stored = store.session(id);
  if (!stored) return std::unexpected(stored.error());
  Result<std::vector<Store::StoredBatch>> batches = store.batches(id);
  if (!batches) return std::unexpected(batches.error());
  const Result<BudgetPlan> plan = budget_plan_from_json(stored->record.budget_json);
  if (!plan) return std::unexpected(plan.error());
  const Result<BudgetPlan> raised =
      raise_budget(*plan, setup.budget, static_cast<std::int32_t>(batches->size()));
  if (!raised) return std::unexpected(raised.error());
  if (*raised != *plan) {
    const Status updated = store.update_budget(id, budget_plan_to_json(*raised));
    if (!updated) return std::unexpected(updated.error());
  }
  if (const Status marked = mark_interruption(store, *before); !marked)
    return std::unexpected(marked.error());
  tools.observer.started(id, stored->record);
  SessionStatus status = stored->status;
  status.state =
      before->status.state == SessionState::Running ? SessionState::Interrupted : before->status.state;
  return SessionRun(store, id, *complete, tools, *raised, status, std::move(*batches)).run();
}

}  // namespace kernelscape
