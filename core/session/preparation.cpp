#include "core/session/preparation.h"

#include <fmt/format.h>

#include <array>
#include <random>

#include "core/base/text.h"
#include "core/measure/cpu_measurer.h"
#include "core/session/setup.h"
#include "core/task/catalogue.h"

namespace kernelscape {
namespace {

std::uint64_t draw_seed() {
  std::random_device device;
  return device();
}

/** Only a CPU is measured. */
Status check_target(const TargetDescription& target) {
  if (target.kind == TargetKind::Cpu) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("target {} can't be tuned for: only cpu is measured", target.name),
              "use --target cpu; `kernelscape space` shows the search spaces of other targets");
}

Result<SettingValues> read_settings(const TuningRequest& request) {
  const Result<const TunerDeclaration*> tuner = find_tuner(request.tuner);
  if (!tuner) return std::unexpected(tuner.error());
  return parse_settings(**tuner, request.settings);
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
  const Result<Catalogue> catalogue = Catalogue::load_default();
  if (!catalogue) return std::unexpected(catalogue.error());
  const Result<Task> task = catalogue->find(request.task);
  if (!task) return std::unexpected(task.error());
  const Result<TargetDescription> target = resolve_target(request.target, CompilerNeed::Required);
  if (!target) return std::unexpected(target.error());
  if (const Status fitting = check_target(*target); !fitting) return std::unexpected(fitting.error());
  return apply_template(*task, *target, request.template_name);
}

/** A restriction as a constraint on the element of its knob. */
Status add_restriction(const SearchSpace& space, const KnobRestriction& restriction,
                       ConstraintSystem& constraints) {
  const std::optional<std::uint32_t> knob = space.find_knob(restriction.knob);
  if (!knob) {
    std::vector<std::string> names;
    for (const Knob& known : space.knobs()) names.push_back(known.name());
    return fail(ErrorCode::NotFound, fmt::format("there is no knob \"{}\" to restrict", restriction.knob),
                suggest(restriction.knob, names));
  }
  const int elements = space.knobs()[*knob].element_count();
  if (restriction.position < 0 || restriction.position >= elements) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{}[{}]: the knob has {} elements", restriction.knob,
                                                        restriction.position, elements));
  }
  const std::string name =
      elements > 1 ? fmt::format("{}.{}", restriction.knob, restriction.position) : restriction.knob;
  const VariableId variable = constraints.add_element(name, *knob, restriction.position);
  constraints.add({InConstraint{variable, restriction.values}, std::string(user_restriction_reason)});
  return {};
}

}  // namespace

std::vector<std::string> target_names() { return {"cpu", "cuda"}; }

Result<TargetDescription> resolve_target(const std::string& name, CompilerNeed need) {
  if (name == "cpu") return describe_cpu_target(need);
  if (name == "cuda" || name == "cuda:0") return default_cuda_target();
  return fail(ErrorCode::InvalidArgument, fmt::format("unknown target \"{}\"", name),
              suggest(name, target_names()));
}

Result<SearchSpace> restrict_space(const ScheduledKernel& kernel, bool respect_limits,
                                   const std::vector<KnobRestriction>& restrictions) {
  Result<SearchSpace> space = respect_limits ? kernel.space().restricted_by(kernel.limits()) : kernel.space();
  if (!space || restrictions.empty()) return space;
  ConstraintSystem constraints;
  for (const KnobRestriction& restriction : restrictions) {
    if (const Status added = add_restriction(*space, restriction, constraints); !added)
      return std::unexpected(added.error());
  }
  return space->restricted_by(constraints);
}

Result<PreparedTuning> prepare_tuning(const TuningRequest& request, const Store& store) {
  const Result<SettingValues> settings = read_settings(request);
  if (!settings) return std::unexpected(settings.error());
  if (const Status sensible = check_measure_options(request.measuring); !sensible) {
    return std::unexpected(sensible.error());
  }
  Result<ScheduledKernel> kernel = apply_request(request);
  if (!kernel) return std::unexpected(kernel.error());
  const Result<SearchSpace> space = restrict_space(*kernel, request.respect_limits, request.restrictions);
  if (!space) return std::unexpected(space.error());
  SessionSetup setup{.space = *space};
  setup.name = request.name;
  setup.task = kernel->task();
  setup.target = kernel->target();
  setup.template_name = kernel->template_name();
  setup.template_version = kernel->template_version();
  setup.tuner = request.tuner;
  setup.settings = *settings;
  setup.seed = request.seed ? *request.seed : draw_seed();
  setup.budget = request.budget;
  setup.options = request.measuring;
  if (const Status warm = add_warm_start(request, store, setup); !warm) return std::unexpected(warm.error());
  return PreparedTuning{std::move(setup), std::make_shared<ScheduleFamily>(std::move(*kernel))};
}

Result<PreparedTuning> prepare_resume(const Store& store, SessionId id) {
  const Result<TargetDescription> target = resolve_target("cpu", CompilerNeed::Required);
  if (!target) return std::unexpected(target.error());
  Result<ResumableSession> session = restore_session(store, id, *target);
  if (!session) return std::unexpected(session.error());
  return PreparedTuning{std::move(session->setup),
                        std::make_shared<ScheduleFamily>(std::move(session->kernel))};
}

}  // namespace kernelscape
