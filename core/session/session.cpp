#include "core/session/session.h"

#include "core/session/engine.h"
#include "core/session/measured_batches.h"
#include "core/session/setup.h"
#include "core/session/steps.h"

namespace kernelscape::session {

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::Replaying:
      return "replaying";
    case Phase::Searching:
      return "searching";
    case Phase::Measuring:
      return "measuring";
    case Phase::Confirming:
      return "confirming";
    case Phase::Surveying:
      return "surveying";
  }
  return "unknown";
}

namespace {

double charged_search(const std::vector<store::StoredBatch>& batches) {
  double seconds = 0;
  for (const store::StoredBatch& batch : batches) seconds += batch.search_seconds;
  return seconds;
}

Result<Outcome> run_measured(store::Store& store, store::SessionId id, const Setup& setup, const Tools& tools,
                             trial::BudgetPlan plan, EarlierRuns earlier) {
  Accounting accounting(tools.clock, earlier.status, charged_search(earlier.batches));
  RunningSession session{store,      id,         setup,           tools.observer,
                         tools.stop, accounting, std::move(plan), std::move(earlier)};
  session.status = session.earlier.status;
  MeasuredBatches batches(session, tools, accounting);
  return Engine(session, batches, tools.kept).run();
}

}  // namespace

Result<Outcome> run_session(store::Store& store, const Setup& setup, const Tools& tools) {
  const Setup complete = TRY(with_batch_size(setup, session_builders(setup)));
  const store::Owner owner = store::Owner::this_process();
  store::SessionRecord record = make_record(complete);
  record.id = TRY(create_session_of(store, complete, record, owner));
  const Ownership ownership(store, record.id, owner);
  tools.observer.started(record.id, record);
  return run_measured(store, record.id, complete, tools, trial::make_budget_plan(setup.budget), {});
}

Result<Outcome> resume_session(store::Store& store, store::SessionId id, const Setup& setup,
                               const Tools& tools) {
  const Setup complete = TRY(with_batch_size(setup, session_builders(setup)));
  TRY(check_build_only(complete.options, complete.budget));
  const store::Owner owner = store::Owner::this_process();
  const store::SessionSummary before = TRY(claim_stored_session(store, id, complete, owner));
  const Ownership ownership(store, id, owner);
  std::vector<store::StoredBatch> batches = TRY(store.batches().of(id));
  ResumedSession resumed = TRY(notify_resumed(store, before, tools.observer));
  const bool catches_up = !batches.empty();
  return run_measured(store, id, complete, tools, std::move(resumed.plan),
                      {std::move(resumed.status), catches_up, std::move(batches)});
}

}  // namespace kernelscape::session
