#include "core/session/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/session/session_run.h"
#include "core/session/setup.h"

namespace kernelscape {
namespace {

/** Gives the session back, however the run ends; a process that dies leaves a dead owner, who is taken over.
 */
class Ownership {
 public:
  Ownership(Store& store, SessionId id, const Owner& owner) : store_(store), id_(id), owner_(owner) {}
  ~Ownership() { [[maybe_unused]] const Status released = store_.release_session(id_, owner_); }
  Ownership(const Ownership&) = delete;
  Ownership& operator=(const Ownership&) = delete;

 private:
  Store& store_;
  SessionId id_;
  Owner owner_;
};

Result<SessionSetup> with_batch_size(const SessionSetup& setup) {
  SessionSetup complete = setup;
  const Result<const TunerDeclaration*> tuner = find_tuner(setup.tuner);
  if (!tuner) return std::unexpected(tuner.error());
  if (complete.batch_size == 0) complete.batch_size = (*tuner)->default_batch;
  if (complete.batch_size < 1) {
    return fail(ErrorCode::InvalidArgument, fmt::format("a batch of {} candidates", complete.batch_size),
                "give at least 1, or 0 for the tuner's own");
  }
  return complete;
}

Status check_resumable(SessionId id, const SessionRecord& record, const SessionSetup& setup) {
  const std::vector<std::string> differences = setup_differences(record, setup);
  if (differences.empty()) return {};
  return fail(ErrorCode::Refused,
              fmt::format("session {} can be viewed, not resumed: {}", id, fmt::join(differences, "; ")),
              fmt::format("start a new session with --warm-start {}", id));
}

/** The time axis shows where a session stood still, and why. */
Status mark_interruption(Store& store, const SessionSummary& stored) {
  if (stored.owner)
    return store.append_interruption(stored.record.id, stored.status.session_seconds, "killed");
  if (stored.status.state != SessionState::Done) return {};
  return store.append_interruption(stored.record.id, stored.status.session_seconds, "done");
}

}  // namespace

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

Result<SessionOutcome> run_session(Store& store, const SessionSetup& setup, const SessionTools& tools) {
  const Result<SessionSetup> complete = with_batch_size(setup);
  if (!complete) return std::unexpected(complete.error());
  SessionRecord record = make_record(*complete);
  const Owner owner = Owner::this_process();
  const Result<SessionId> id = store.create_session(record, owner);
  if (!id) return std::unexpected(id.error());
  const Ownership ownership(store, *id, owner);
  record.id = *id;
  tools.observer.started(*id, record);
  return SessionRun(store, *id, *complete, tools, make_budget_plan(setup.budget), {}, {}).run();
}

Result<SessionOutcome> resume_session(Store& store, SessionId id, const SessionSetup& setup,
                                      const SessionTools& tools) {
  const Result<SessionSetup> complete = with_batch_size(setup);
  if (!complete) return std::unexpected(complete.error());
  const Owner owner = Owner::this_process();
  // Who held it is read before it is claimed: a dead owner tells of an interruption.
  const Result<SessionSummary> before = store.session(id);
  if (!before) return std::unexpected(before.error());
  if (const Status same = check_resumable(id, before->record, *complete); !same)
    return std::unexpected(same.error());
  if (const Status claimed = store.claim_session(id, owner); !claimed)
    return std::unexpected(claimed.error());
  const Ownership ownership(store, id, owner);

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
