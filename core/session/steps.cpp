#include "core/session/steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "core/base/text.h"
#include "core/schedule/target.h"
#include "core/session/predictor_choice.h"
#include "core/session/preparation_parts.h"
#include "core/session/setup.h"

namespace kernelscape::session {

std::int64_t session_builders(const Setup& setup) {
  return setup.options.builders > 0 ? setup.options.builders : schedule::host_cores(setup.target);
}

Result<Setup> with_batch_size(const Setup& setup, std::int64_t builders) {
  Setup complete = setup;
  const tuner::Declaration* tuner = TRY(tuner::find_tuner(setup.tuner));
  if (complete.batch_size == 0) complete.batch_size = tuner->default_batch;
  if (complete.batch_size == tuner::batch_of_builders)
    complete.batch_size = std::max<std::int64_t>(1, builders);
  if (complete.batch_size < 1) {
    return fail(ErrorCode::InvalidArgument, fmt::format("a batch of {} candidates", complete.batch_size),
                "give at least 1, or 0 for the tuner's default");
  }
  return complete;
}

Status check_build_only(const trial::MeasureOptions& options, const trial::Budget& budget) {
  if (!options.build_only || (budget.target_gflops == 0 && budget.patience == 0)) return {};
  const std::string_view option = budget.target_gflops > 0 ? "--target-gflops" : "--patience";
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} with --build-only: no kernel runs, so kernels cannot be compared", option),
              fmt::format("leave {} out and give --trials or --minutes", option));
}

Result<store::SessionId> create_session_of(store::Store& store, const Setup& setup,
                                           const store::SessionRecord& record, const store::Owner& owner) {
  if (!setup.study) return store.sessions().create(record, owner);
  return store.sessions().create(record, owner, setup.study->study, setup.study->run);
}

Result<store::SessionSummary> claim_stored_session(store::Store& store, store::SessionId id,
                                                   const Setup& setup, const store::Owner& owner) {
  store::SessionSummary before = TRY(store.sessions().get(id));
  const std::vector<std::string> differences = setup_differences(before.record, setup);
  if (!differences.empty()) return only_viewed(id, fmt::format("{}", fmt::join(differences, "; ")));
  const trial::BudgetPlan plan = TRY(trial::budget_plan_from_json(before.record.budget_json));
  std::ignore = TRY(trial::raise_budget(plan, setup.budget, 0));
  TRY(store.sessions().claim(id, owner));
  return before;
}

Result<ResumedSession> notify_resumed(store::Store& store, const store::SessionSummary& before,
                                      Observer& observer) {
  const store::SessionId id = before.record.id;
  const store::SessionSummary now = TRY(store.sessions().get(id));
  // Read again: another process may have raised its budget before it was claimed.
  trial::BudgetPlan plan = TRY(trial::budget_plan_from_json(now.record.budget_json));
  if (before.owner)
    TRY(store.interruptions().append(id, before.status.session_seconds, "killed"));
  else if (before.status.state == store::SessionState::Done)
    TRY(store.interruptions().append(id, before.status.session_seconds, "done"));
  observer.started(id, now.record);
  store::SessionStatus status = now.status;
  if (status.state == store::SessionState::Running) status.state = store::SessionState::Interrupted;
  return ResumedSession{std::move(status), std::move(plan)};
}

namespace {

tuner::Context context_of(const Setup& setup, std::int64_t trial_budget) {
  return {.space = setup.space,
          .task = setup.task,
          .features = setup.features,
          .history = setup.history,
          .trial_budget = trial_budget,
          .settings = setup.settings,
          .random = base::Random(setup.seed).fork("tuner"),
          .history_features = setup.history_features,
          .history_columns = setup.history_columns,
          .predictor = setup.predictor.of_kernels,
          .within_limits = setup.predictor.within_limits,
          .sources = setup.sources};
}

}  // namespace

Result<std::unique_ptr<tuner::Tuner>> make_session_tuner(const Setup& setup, std::int64_t trial_budget) {
  if (setup.make_tuner) return setup.make_tuner(context_of(setup, trial_budget));
  const tuner::Declaration* declaration = TRY(tuner::find_tuner(setup.tuner));
  return declaration->make(context_of(setup, trial_budget));
}

Status check_tuner(const Setup& setup) {
  const tuner::Declaration* declaration = TRY(tuner::find_tuner(setup.tuner));
  return declaration->fits ? declaration->fits(context_of(setup, 0)) : Status();
}

std::string tuner_notice(const Setup& setup) {
  std::vector<std::string> notices;
  const auto declaration = tuner::find_tuner(setup.tuner);
  if (declaration && (*declaration)->notice) notices.push_back((*declaration)->notice(context_of(setup, 0)));
  if (setup.predictor.trained) notices.push_back(predictor_notice(*setup.predictor.trained, setup.target));
  std::erase(notices, "");
  return base::join(notices, "; ");
}

Status check_proposal(const Setup& setup, std::size_t candidates, std::int64_t request, bool members) {
  if (candidates > 0 && static_cast<std::int64_t>(candidates) <= request && members) return {};
  return fail(ErrorCode::Internal,
              fmt::format("tuner {} proposed {} candidates where 1 to {} members of the space were asked for",
                          setup.tuner, candidates, request),
              "this is an error in the tuner: choose another tuner");
}

std::unexpected<Error> resume_mismatch(store::SessionId id, std::string_view what) {
  return fail(ErrorCode::Refused, fmt::format("session {} cannot be resumed exactly: {}", id, what),
              fmt::format("its trials are kept: start a new session with --warm-start {}", id));
}

Status compare_proposal(store::SessionId id, const Setup& setup, std::int32_t batch,
                        std::span<const space::Configuration> proposed,
                        std::span<const space::Configuration> stored) {
  const auto [now, then] = std::ranges::mismatch(proposed, stored);
  if (now != proposed.end() && then != stored.end()) {
    return resume_mismatch(
        id, fmt::format("candidate {} of batch {} was {}, tuner {} now proposes {}", now - proposed.begin(),
                        batch, setup.space.describe(*then), setup.tuner, setup.space.describe(*now)));
  }
  if (proposed.size() != stored.size()) {
    return resume_mismatch(id, fmt::format("batch {} has {} candidates, tuner {} now proposes {}", batch,
                                           stored.size(), setup.tuner, proposed.size()));
  }
  return {};
}

Error with_resume_hint(Error error, store::SessionId id) {
  const std::string resume_hint =
      fmt::format("all measured trials are stored: resume with `kernelscape resume {}`", id);
  error.hint = error.hint.empty() ? resume_hint : error.hint + "; " + resume_hint;
  return error;
}

}  // namespace kernelscape::session
