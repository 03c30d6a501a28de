#include "core/session/preparation.h"

#include <fmt/format.h>

#include <random>

#include "core/session/preparation_parts.h"
#include "core/session/setup.h"
#include "core/session/shared_features.h"
#include "core/session/steps.h"
#include "core/task/catalogue.h"

namespace kernelscape {
namespace {

std::uint64_t draw_seed() {
  std::random_device device;
  return device();
}

Status add_warm_start(const TuningRequest& request, const Store& store, SessionSetup& setup) {
  if (request.warm_start.empty()) return {};
  const Result<SessionId> id = store.find_session(request.warm_start);
  if (!id) return std::unexpected(id.error());
  Result<WarmStart> warm = warm_start_from(store, *id, setup.space, setup.task.flops());
  if (!warm) return std::unexpected(warm.error());
  setup.history = std::move(warm->observations);
  setup.history_sources = {warm->source};
  return {};
}

Result<ScheduledKernel> apply_request(const TuningRequest& request) {
  if (request.task.empty()) {
    return fail(ErrorCode::InvalidArgument, "no task was given",
                "name one, see `kernelscape tasks`; only a recorded space brings its own");
  }
  const Result<Catalogue> catalogue = Catalogue::load_default();
  if (!catalogue) return std::unexpected(catalogue.error());
  const Result<Task> task = catalogue->find(request.task);
  if (!task) return std::unexpected(task.error());
  const Result<TargetDescription> target =
      resolve_target(request.target, CompilerNeed::Required, request.architecture);
  if (!target) return std::unexpected(target.error());
  return apply_template(*task, *target, request.template_name);
}

/** What options alone show to be wrong. */
Status check_options(const TuningRequest& request) {
  const MeasureOptions& options = request.measuring;
  for (const Status& good : {check_measure_options(options),
                             check_target_choice(request.target, request.architecture, options.build_only),
                             check_build_only(options, request.budget)}) {
    if (!good) return good;
  }
  return {};
}

/** The target that a stored session was made for, as it is now. */
Result<TargetDescription> current_target(const SessionRecord& record) {
  const Result<TargetDescription> stored = target_from_json(record.target_json);
  if (!stored) return stored;
  return resolve_target(stored->name, CompilerNeed::Required, stored->architecture_only ? stored->isa : "");
}

}  // namespace

Result<SearchSpace> restrict_space(const ScheduledKernel& kernel, bool respect_limits,
                                   const std::vector<KnobRestriction>& restrictions) {
  const Result<SearchSpace> space =
      respect_limits ? kernel.space().restricted_by(kernel.limits()) : kernel.space();
  return space ? restrict_space(*space, restrictions) : space;
}

Result<SettingValues> requested_settings(const TuningRequest& request) {
  const Result<const TunerDeclaration*> tuner = find_tuner(request.tuner);
  if (!tuner) return std::unexpected(tuner.error());
  return parse_settings(**tuner, request.settings);
}

Status take_request(const TuningRequest& request, const Store& store, SessionSetup& setup) {
  setup.name = request.name;
  setup.tuner = request.tuner;
  setup.seed = request.seed ? *request.seed : draw_seed();
  setup.budget = request.budget;
  return add_warm_start(request, store, setup);
}

Result<PreparedTuning> prepare_tuning(const TuningRequest& request, const Store& store,
                                      RecordingCache* recordings) {
  if (is_recorded_target(request.target)) {
    Result<std::shared_ptr<const Recording>> recording = recordings != nullptr
                                                             ? recordings->open(request.target, store)
                                                             : open_recorded_target(request.target, store);
    if (!recording) return std::unexpected(recording.error());
    return prepare_replay(request, store, std::move(*recording));
  }
  const Result<SettingValues> settings = requested_settings(request);
  if (!settings) return std::unexpected(settings.error());
  if (const Status good = check_options(request); !good) return std::unexpected(good.error());
  Result<ScheduledKernel> kernel = apply_request(request);
  if (!kernel) return std::unexpected(kernel.error());
  const Result<SearchSpace> space = restrict_space(*kernel, request.respect_limits, request.restrictions);
  if (!space) return std::unexpected(space.error());
  SessionSetup setup{.space = *space};
  setup.task = kernel->task();
  setup.target = kernel->target();
  setup.template_name = kernel->template_name();
  setup.template_version = kernel->template_version();
  setup.settings = *settings;
  setup.options = request.measuring;
  setup.features = shared_features(*kernel);
  if (const Status taken = take_request(request, store, setup); !taken) return std::unexpected(taken.error());
  if (const Status fitting = check_tuner(setup); !fitting) return std::unexpected(fitting.error());
  return PreparedTuning{std::move(setup), std::make_shared<ScheduleFamily>(std::move(*kernel))};
}

Result<PreparedTuning> prepare_resume(const Store& store, SessionId id) {
  const Result<SessionSummary> stored = store.session(id);
  if (!stored) return std::unexpected(stored.error());
  if (stored->record.kind == SessionKind::Replayed) return prepare_replay_resume(store, stored->record);
  if (const Status here = check_measured_here(stored->record); !here) return std::unexpected(here.error());
  const Result<TargetDescription> target = current_target(stored->record);
  if (!target) return only_viewed(id, target.error().message, target.error().hint);
  Result<ResumableSession> session = restore_session(store, id, *target);
  if (!session) return std::unexpected(session.error());
  return PreparedTuning{std::move(session->setup),
                        std::make_shared<ScheduleFamily>(std::move(session->kernel))};
}

}  // namespace kernelscape
