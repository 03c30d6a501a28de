#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/session/learnt_sources.h"
#include "core/session/preparation_parts.h"
#include "core/session/setup.h"
#include "core/session/shared_features.h"

namespace kernelscape::session {
namespace {

std::string_view described_kind(store::SessionKind kind) {
  switch (kind) {
    case store::SessionKind::Replayed:
      return "a replay";
    case store::SessionKind::Recorded:
      return "a recorded space";
    case store::SessionKind::Imported:
      return "another program's log";
    case store::SessionKind::Measured:
      break;
  }
  return "measured";
}

/**
 * Returns true if `stored` is `space` with more constraints: a user's restrictions, or enforced device
 * limits.
 */
bool restricts(const space::SearchSpace& stored, const space::SearchSpace& space) {
  if (stored.knobs() != space.knobs() || stored.explicit_members()) return false;
  const std::vector<space::Constraint>& constraints = stored.constraints().constraints();
  const std::size_t own = space.constraints().constraints().size();
  if (constraints.size() < own) return false;
  for (std::size_t i = 0; i < own; ++i) {
    if (stored.constraints().describe(i) != space.constraints().describe(i)) return false;
  }
  return true;
}

}  // namespace

space::SearchSpace restored_space(const space::SearchSpace& stored, const space::SearchSpace& today) {
  return restricts(stored, today) ? stored : today;
}

std::unexpected<Error> only_viewed(store::SessionId id, std::string_view reason, std::string hint) {
  if (hint.empty()) hint = fmt::format("start a new session with --warm-start {}", id);
  return fail(ErrorCode::Refused, fmt::format("session {} can be viewed, not resumed: {}", id, reason),
              std::move(hint));
}

Status check_measured_here(const store::SessionRecord& record) {
  if (record.kind == store::SessionKind::Measured) return {};
  return only_viewed(record.id,
                     fmt::format("it is {}, which was not measured here", described_kind(record.kind)));
}

Status restore_values(const store::Store& store, const store::SessionRecord& record, Setup& setup) {
  const tuner::Declaration* tuner = TRY(tuner::find_tuner(record.tuner));
  setup.settings = TRY(settings_from_json(*tuner, record.settings_json));
  setup.options = TRY(trial::stored_measure_options(record.options_json));
  const trial::BudgetPlan plan = TRY(trial::budget_plan_from_json(record.budget_json));
  setup.budget = plan.budget;
  setup.starts = TRY(starts_from_json(record.history_json, setup.space));
  const std::vector<HistorySource> sources = TRY(history_from_json(record.history_json));
  TRY(take_history(store, sources, setup));
  const std::vector<LearntSource> learnt = TRY(learnt_sources_from_json(record.history_json));
  return take_stored_sources(store, learnt, setup);
}

Result<ResumableSession> restore_session(const store::Store& store, store::SessionId id,
                                         const schedule::TargetDescription& current_target) {
  const store::SessionSummary stored = TRY(store.sessions().get(id));
  const store::SessionRecord& record = stored.record;
  TRY(check_measured_here(record));
  const Result<task::Task> task = task::task_from_json(record.task_json);
  if (!task) return only_viewed(id, describe(task.error()));
  Result<schedule::ScheduledKernel> kernel =
      schedule::apply_template(*task, current_target, record.template_name);
  if (!kernel) return only_viewed(id, describe(kernel.error()));

  const Result<space::SearchSpace> stored_space = space::space_from_json(record.space_json);
  Setup setup{.space = stored_space ? restored_space(*stored_space, kernel->space()) : kernel->space()};
  setup.name = record.name;
  setup.task = *task;
  setup.target = kernel->target();
  setup.template_name = kernel->template_name();
  setup.template_version = kernel->template_version();
  setup.tuner = record.tuner;
  setup.batch_size = record.batch_size;
  setup.seed = record.seed;
  setup.features = own_features(*kernel);
  setup.real_measurements = record.real_measurements;
  if (const Status values = restore_values(store, record, setup); !values) {
    return only_viewed(id, describe(values.error()));
  }
  const std::vector<std::string> differences = setup_differences(record, setup);
  if (!differences.empty()) return only_viewed(id, fmt::format("{}", fmt::join(differences, "; ")));
  return ResumableSession{std::move(setup), std::move(*kernel)};
}

}  // namespace kernelscape::session
