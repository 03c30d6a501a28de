#include "core/schedule/template.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/loop_nest/passes.h"
#include "core/schedule/lower.h"
#include "core/schedule/schedule.h"

namespace kernelscape::schedule {

ScheduledKernel::ScheduledKernel(std::string template_name, int template_version, task::Task task,
                                 TargetDescription target, space::SearchSpace space,
                                 space::ConstraintSystem limits, std::shared_ptr<const Schedule> schedule)
    : template_name_(std::move(template_name)),
      template_version_(template_version),
      task_(std::move(task)),
      target_(std::move(target)),
      space_(std::move(space)),
      limits_(std::move(limits)),
      compiled_limits_(limits_),
      schedule_(std::move(schedule)) {}

ScheduledKernel ScheduledKernel::without_limits() const {
  return {template_name_, template_version_, task_, target_, space_, space::ConstraintSystem(), schedule_};
}

Result<LoweredKernel> ScheduledKernel::lower(const space::Configuration& configuration) const {
  if (!space_.contains(configuration))
    return fail(ErrorCode::InvalidArgument,
                "the configuration is not a feasible configuration of the search space");
  if (!within_limits(configuration)) {
    const space::Evaluation evaluation = limits_.evaluate(space_.knobs(), configuration);
    return fail(ErrorCode::Refused, limits_.explain(evaluation.violated.front(), evaluation));
  }
  loop_nest::LoopNest nest = TRY(loop_nest::run_passes(
      kernelscape::schedule::lower(*schedule_, configuration, target_),
      target_.kind == TargetKind::Cpu ? loop_nest::cpu_passes() : loop_nest::gpu_passes()));
  return LoweredKernel{std::move(nest)};
}

std::string targets_text(const TemplateDeclaration& declaration) {
  std::vector<std::string> names;
  for (const TargetKind target : declaration.targets) names.emplace_back(to_string(target));
  return base::join(names, ", ");
}

Result<const TemplateDeclaration*> find_template(std::string_view name, TargetKind target) {
  std::vector<std::string> names;
  for (const TemplateDeclaration& declaration : template_registry()) {
    if (!supports(declaration, target)) continue;
    if (declaration.name == name) return &declaration;
    names.push_back(declaration.name);
  }
  for (const TemplateDeclaration& declaration : template_registry())
    if (declaration.name == name)
      return fail(ErrorCode::NotFound,
                  fmt::format("template \"{}\" is for {} targets, not for {}", name,
                              targets_text(declaration), to_string(target)),
                  fmt::format("templates of this target: {}", base::join(names, ", ")));
  return fail(ErrorCode::NotFound, fmt::format("there is no template {}", base::quoted_line(name)),
              base::suggest(name, names));
}

Result<ScheduledKernel> apply_template(const task::Task& task, const TargetDescription& target,
                                       std::string_view name) {
  if (!name.empty()) {
    const TemplateDeclaration* declaration = TRY(find_template(name, target.kind));
    if (const Status fits = declaration->fits(task, target); !fits)
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("template {} does not fit {}: {}", name, task.name, fits.error().message),
                  "leave --template out to use the first that fits");
    return declaration->apply(task, target);
  }
  // target names with the templates that support them
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const TemplateDeclaration& declaration : template_registry()) {
    if (!supports(declaration, target.kind)) continue;
    const Status fits = declaration.fits(task, target);
    if (fits) return declaration.apply(task, target);
    const std::string& reason = fits.error().message;
    auto known = std::ranges::find(reasons, reason, [](const auto& one) { return one.first; });
    if (known == reasons.end()) known = reasons.insert(known, {reason, {}});
    known->second.push_back(declaration.name);
  }
  std::vector<std::string> texts;
  for (const auto& [reason, names] : reasons)
    texts.push_back(fmt::format("{}: {}", base::join(names, ", "), reason));
  return fail(ErrorCode::InvalidArgument,
              fmt::format("no template for target {} fits {}", target.name, task.name),
              base::join(texts, "; "));
}

}  // namespace kernelscape::schedule
