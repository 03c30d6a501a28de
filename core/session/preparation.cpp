#include "core/session/preparation.h"

#include <fmt/format.h>

#include <random>

#include "core/base/visible_text.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/schedule/schedule.h"
#include "core/session/ask_tell.h"
#include "core/session/learnt_sources.h"
#include "core/session/preparation_parts.h"
#include "core/session/project_preparation.h"
#include "core/session/setup.h"
#include "core/session/shared_features.h"
#include "core/session/steps.h"
#include "core/task/catalogue.h"

namespace kernelscape::session {
namespace {

std::uint64_t draw_seed() {
  std::random_device device;
  return device();
}

Status add_warm_start(const TuningRequest& request, const store::Store& store, Setup& setup) {
  if (request.warm_start.empty()) return {};
  const store::SessionId id = TRY(store.sessions().find(request.warm_start));
  return take_warm_start(store, id, setup);
}

Result<schedule::ScheduledKernel> kernel_of_request(const TuningRequest& request) {
  if (request.task.empty()) {
    return fail(ErrorCode::InvalidArgument, "no task was given",
                "name a task, see `kernelscape tasks`; only a recorded space has its own");
  }
  const task::Catalogue catalogue = TRY(task::Catalogue::load_default());
  const task::Task task = TRY(catalogue.find(request.task));
  const schedule::TargetDescription target =
      TRY(resolve_target(request.target, measure::CompilerNeed::Required, request.architecture));
  return apply_requested_template(request, task, target);
}

/** Checks the errors that the options alone reveal. */
Status check_options(const TuningRequest& request) {
  const trial::MeasureOptions& options = request.measuring;
  TRY(trial::check_measure_options(options));
  TRY(check_target_choice(request.target, request.architecture, options.build_only));
  TRY(check_build_only(options, request.budget));
  if (options.replay_samples) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("replay_samples is not possible on {}: there are no recorded samples", request.target),
        "leave replay_samples out, or use --target recorded:FILE");
  }
  if (options.beyond_limits && request.respect_limits.value_or(false)) {
    return fail(ErrorCode::InvalidArgument,
                "--beyond-limits builds what the limits refuse, and --respect-limits never proposes it",
                "leave one of them out");
  }
  return {};
}

/**
 * Adds a notice to kernels with dot products if the CPU has none for their types. Returns an error if the
 * compiler does not support those of the CPU.
 */
Status take_dot_products(PreparedTuning& tuning) {
  const schedule::ScheduledKernel* kernel = tuning.family->scheduled();
  if (kernel == nullptr || !kernel->schedule().dot_group()) return {};
  const bool bytes = kernel->schedule().op().inputs[0].type == task::ScalarType::U8;
  if (kernel->target().extensions.empty())
    tuning.notices.emplace_back(fmt::format(
        "this CPU has no {}: kernels multiply in plain C, and their times do not apply to CPUs that have "
        "them",
        bytes ? "int8 dot products (AVX-512 VNNI or AVX-VNNI)" : "bf16 dot products (AVX-512 BF16)"));
  return measure::check_dot_products(kernel->target());
}

/** The target that a stored session was made for, as it is now. */
Result<schedule::TargetDescription> current_target(const store::SessionRecord& record) {
  const schedule::TargetDescription stored = TRY(schedule::target_from_json(record.target_json));
  // Without a compiler the session was not built by this program.
  const auto need =
      stored.compiler.empty() ? measure::CompilerNeed::Optional : measure::CompilerNeed::Required;
  return resolve_target(stored.user_name(), need, stored.architecture_only ? stored.isa : "");
}

}  // namespace

std::unexpected<Error> inexact_template(std::string_view name) {
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("--exact leaves out template {}, which rounds in other places than the definition", name),
      "leave --exact or --template out");
}

Result<schedule::ScheduledKernel> apply_requested_template(const TuningRequest& request,
                                                           const task::Task& task,
                                                           const schedule::TargetDescription& target) {
  if (!request.template_name.empty()) {
    const Result<const schedule::TemplateDeclaration*> named =
        schedule::find_template(request.template_name, target.kind);
    if (named && request.exact && !(*named)->exact) return inexact_template(request.template_name);
    return schedule::apply_template(task, target, request.template_name);
  }
  const bool plain = request.restrictions.empty() && request.warm_start.empty() && request.learn_from.empty();
  return schedule::apply_template(task, target,
                                  schedule::default_template(task, target, request.exact || !plain));
}

bool enforces_limits(const TuningRequest& request) {
  if (request.respect_limits) return *request.respect_limits;
  const Result<const tuner::Declaration*> tuner = tuner::find_tuner(request.tuner);
  return tuner && (*tuner)->enforces_limits && !request.measuring.beyond_limits;
}

Result<space::SearchSpace> restrict_space(const schedule::ScheduledKernel& kernel, bool respect_limits,
                                          const std::vector<KnobRestriction>& restrictions) {
  const Result<space::SearchSpace> space =
      respect_limits ? kernel.space().restricted_by(kernel.limits()) : kernel.space();
  return space ? restrict_space(*space, restrictions) : space;
}

Status lift_limits(PreparedTuning& tuning) {
  if (!tuning.setup.options.beyond_limits || !tuning.family) return {};
  if (tuning.family->scheduled() == nullptr) {
    return fail(ErrorCode::InvalidArgument,
                "--beyond-limits applies to templates: a project has no device limits",
                "leave --beyond-limits out");
  }
  // A device launches nothing that is over its limits: a CPU's are the template's own.
  if (tuning.setup.target.kind != schedule::TargetKind::Cpu) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("--beyond-limits applies to cpu: {} itself refuses kernels beyond its limits",
                            tuning.setup.target.name),
                "leave --beyond-limits out; a configuration beyond a limit is an INSTANTIATION_ERROR");
  }
  tuning.family = std::make_shared<kernel::ScheduleFamily>(tuning.family->scheduled()->without_limits());
  return {};
}

Result<tuner::SettingValues> requested_settings(const TuningRequest& request) {
  const tuner::Declaration* tuner = TRY(tuner::find_tuner(request.tuner));
  return tuner::parse_settings(*tuner, request.settings);
}

Status apply_request(const TuningRequest& request, const store::Store& store, Setup& setup) {
  setup.name = request.name;
  setup.tuner = request.tuner;
  setup.seed = request.seed ? *request.seed : draw_seed();
  setup.budget = request.budget;
  if (setup.budget.target_gflops > 0 && !(setup.task.flops() > 0)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("--target-gflops: the FLOP count of {} is unknown", setup.task.name),
                "leave --target-gflops out and give --trials, --minutes or --patience");
  }
  TRY(add_warm_start(request, store, setup));
  return take_sources(TRY(usable_sources(store, request.learn_from, setup.space)), setup);
}

Result<PreparedTuning> prepare_tuning(const TuningRequest& request, const store::Store& store,
                                      RecordingCache* recordings) {
  if (is_recorded_target(request.target)) {
    std::shared_ptr<const trial::Recording> recording =
        TRY(recordings != nullptr ? recordings->open(request.target, store)
                                  : open_recorded_target(request.target, store));
    return prepare_replay(request, store, std::move(recording));
  }
  const tuner::SettingValues settings = TRY(requested_settings(request));
  TRY(check_options(request));
  if (const auto project = TRY(requested_project(request, store)))
    return prepare_project(request, store, project, settings);
  schedule::ScheduledKernel kernel = TRY(kernel_of_request(request));
  // An unknown task, such as a misspelled file, has been reported before.
  if (request.trust || request.outside_files) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} applies to a project of your own kernel, and {} is not a project",
                            request.trust ? "--trust" : "--outside-files", base::quoted_line(request.task)),
                "leave it out");
  }
  const space::SearchSpace space =
      TRY(restrict_space(kernel, enforces_limits(request), request.restrictions));
  Setup setup{.space = space};
  setup.task = kernel.task();
  setup.target = kernel.target();
  setup.template_name = kernel.template_name();
  setup.template_version = kernel.template_version();
  setup.settings = settings;
  setup.options = request.measuring;
  setup.features = own_features(kernel);
  TRY(apply_request(request, store, setup));
  PreparedTuning tuning{std::move(setup), std::make_shared<kernel::ScheduleFamily>(std::move(kernel))};
  TRY(take_dot_products(tuning));
  TRY(lift_limits(tuning));
  TRY(take_predictor(store, tuning));
  TRY(check_tuner(tuning.setup));
  return tuning;
}

Result<PreparedTuning> prepare_stored(const store::Store& store, store::SessionId id) {
  const store::SessionSummary stored = TRY(store.sessions().get(id));
  if (stored.record.kind == store::SessionKind::Replayed) return prepare_replay_resume(store, stored.record);
  TRY(check_measured_here(stored.record));
  if (is_ask_tell(stored.record))
    return only_viewed(id, "a client measures its configurations",
                       fmt::format("let the client resume it with `kernelscape ask-tell --resume {}`", id));
  const Result<schedule::TargetDescription> target = current_target(stored.record);
  if (!target) return only_viewed(id, target.error().message, target.error().hint);
  if (!stored.record.project_hash.empty()) return prepare_stored_project(store, stored.record, *target);
  ResumableSession session = TRY(restore_session(store, id, *target));
  PreparedTuning tuning{std::move(session.setup),
                        std::make_shared<kernel::ScheduleFamily>(std::move(session.kernel))};
  TRY(lift_limits(tuning));
  return tuning;
}

Result<PreparedTuning> prepare_resume(const store::Store& store, store::SessionId id) {
  PreparedTuning tuning = TRY(prepare_stored(store, id));
  if (const Status taken = take_predictor(store, tuning); !taken)
    return only_viewed(id, taken.error().message, taken.error().hint);
  return tuning;
}

}  // namespace kernelscape::session
