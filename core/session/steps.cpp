#include "core/session/steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/schedule/target.h"
#include "core/session/predictor_choice.h"
#include "core/session/preparation_parts.h"
#include "core/session/setup.h"

namespace kernelscape {

std::int64_t session_builders(const SessionSetup& setup) {
  return setup.options.builders > 0 ? setup.options.builders : host_cores(setup.target);
}

Result<SessionSetup> with_batch_size(const SessionSetup& setup, std::int64_t builders) {
  SessionSetup complete = setup;
  const TunerDeclaration* tuner = TRY(find_tuner(setup.tuner));
  if (complete.batch_size == 0) complete.batch_size = tuner->default_batch;
  if (complete.batch_size == batch_of_builders) complete.batch_size = std::max<std::int64_t>(1, builders);
  if (complete.batch_size < 1) {
    return fail(ErrorCode::InvalidArgument, fmt::format("a batch of {} candidates", complete.batch_size),
                "give at least 1, or 0 for the tuner's own");
  }
  return complete;
}

Status check_build_only(const MeasureOptions& options, const Budget& budget) {
  if (!options.build_only || (budget.target_gflops == 0 && budget.patience == 0)) return {};
  const std::string_view option = budget.target_gflops > 0 ? "--target-gflops" : "--patience";
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} with --build-only: no kernel runs, so none is better than another", option),
              fmt::format("leave {} out and give --trials or --minutes", option));
}

Status check_resumable(SessionId id, const SessionRecord& record, const SessionSetup& setup) {
  const std::vector<std::string> differences = setup_differences(record, setup);
  if (differences.empty()) return {};
  return only_viewed(id, fmt::format("{}", fmt::join(differences, "; ")));
}

Status mark_interruption(Store& store, const SessionSummary& stored) {
  if (stored.owner)
    return store.append_interruption(stored.record.id, stored.status.session_seconds, "killed");
  if (stored.status.state != SessionState::Done) return {};
  return store.append_interruption(stored.record.id, stored.status.session_seconds, "done");
}

namespace {

TunerContext context_of(const SessionSetup& setup, std::int64_t trial_budget) {
  return {.space = setup.space,
          .task = setup.task,
          .features = setup.features,
          .history = setup.history,
          .trial_budget = trial_budget,
          .settings = setup.settings,
          .random = Random(setup.seed).fork("tuner"),
          .history_features = setup.history_features,
          .history_columns = setup.history_columns,
          .predictor = setup.predictor.of_kernels,
          .within_limits = setup.predictor.within_limits};
}

}  // namespace

Result<std::unique_ptr<Tuner>> make_session_tuner(const SessionSetup& setup, std::int64_t trial_budget) {
  if (setup.make_tuner) return setup.make_tuner(context_of(setup, trial_budget));
  const TunerDeclaration* declaration = TRY(find_tuner(setup.tuner));
  return declaration->make(context_of(setup, trial_budget));
}

Status check_tuner(const SessionSetup& setup) {
  const TunerDeclaration* declaration = TRY(find_tuner(setup.tuner));
  return declaration->fits ? declaration->fits(context_of(setup, 0)) : Status();
}

std::string tuner_notice(const SessionSetup& setup) {
  std::vector<std::string> notices;
  const auto declaration = find_tuner(setup.tuner);
  if (declaration && (*declaration)->notice) notices.push_back((*declaration)->notice(context_of(setup, 0)));
  if (setup.predictor.trained) notices.push_back(predictor_notice(*setup.predictor.trained, setup.target));
  std::erase(notices, "");
  return join(notices, "; ");
}

Status check_proposal(const SessionSetup& setup, std::size_t candidates, std::int64_t request, bool members) {
  if (candidates > 0 && static_cast<std::int64_t>(candidates) <= request && members) return {};
  return fail(ErrorCode::Internal,
              fmt::format("tuner {} proposed {} candidates where 1 to {} members of the space were asked for",
                          setup.tuner, candidates, request),
              "this is a fault of the tuner: choose another one");
}

std::unexpected<Error> resume_mismatch(SessionId id, std::string_view what) {
  return fail(ErrorCode::Refused, fmt::format("session {} can't go on exactly: {}", id, what),
              fmt::format("its trials are kept: start a new session with --warm-start {}", id));
}

Status compare_proposal(SessionId id, const SessionSetup& setup, std::int32_t batch, const Proposal& proposal,
                        std::span<const Configuration> stored) {
  const auto* candidates = std::get_if<std::vector<Configuration>>(&proposal);
  if (candidates == nullptr) {
    return resume_mismatch(id, fmt::format("tuner {} ends at batch {}, which has {} candidates", setup.tuner,
                                           batch, stored.size()));
  }
  const auto [now, then] = std::ranges::mismatch(*candidates, stored);
  if (now != candidates->end() && then != stored.end()) {
    return resume_mismatch(id, fmt::format("candidate {} of batch {} was {}, tuner {} now proposes {}",
                                           now - candidates->begin(), batch, setup.space.describe(*then),
                                           setup.tuner, setup.space.describe(*now)));
  }
  if (candidates->size() != stored.size()) {
    return resume_mismatch(id, fmt::format("batch {} has {} candidates, tuner {} now proposes {}", batch,
                                           stored.size(), setup.tuner, candidates->size()));
  }
  return {};
}

Error with_way_on(Error error, SessionId id) {
  const std::string way_on =
      fmt::format("everything measured is kept: go on with `kernelscape resume {}`", id);
  error.hint = error.hint.empty() ? way_on : error.hint + "; " + way_on;
  return error;
}

}  // namespace kernelscape
