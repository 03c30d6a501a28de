#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/loop_nest/layout.h"
#include "core/loop_nest/loop_nest.h"
#include "core/schedule/target.h"
#include "core/space/compiled_constraints.h"
#include "core/space/search_space.h"
#include "core/task/task.h"

namespace kernelscape {

class Schedule;

/** A loop nest ready for emission, with the tensors it reads and writes in the layouts that this
 * configuration chose. */
struct LoweredKernel {
  LoopNest nest;
};

/** A template applied to a task for a target: the space, the limits, and a kernel per configuration.
 * Immutable. */
class ScheduledKernel {
 public:
  ScheduledKernel(std::string template_name, int template_version, Task task, TargetDescription target,
                  SearchSpace space, ConstraintSystem limits, std::shared_ptr<const Schedule> schedule);

  const std::string& template_name() const { return template_name_; }  ///< as users write it: "conv2d-packed"
  /** Another version is another space, or other kernels. */
  int template_version() const { return template_version_; }
  const Task& task() const { return task_; }                   ///< what its kernels compute
  const TargetDescription& target() const { return target_; }  ///< what its kernels are built for
  const SearchSpace& space() const { return space_; }  ///< members only; some may still be beyond the limits
  /** The recorded primitives. */
  const Schedule& schedule() const { return *schedule_; }
  /** The same, for what may outlive the kernel. */
  const std::shared_ptr<const Schedule>& shared_schedule() const { return schedule_; }

  /** What the target refuses: violated limits are INSTANTIATION_ERRORs. Variables speak of the space's knobs.
   */
  const ConstraintSystem& limits() const { return limits_; }
  /** Whether a member violates none of the limits: a fraction of a microsecond. */
  bool within_limits(const Configuration& configuration) const {
    return compiled_limits_.satisfied(space_.knobs(), configuration);
  }

  /** The same kernels with none refused by a limit: what such a one needs, building and running it tells. */
  ScheduledKernel without_limits() const;

  /** The loop nest of a configuration, or the limit that refuses it, in words. */
  Result<LoweredKernel> lower(const Configuration& configuration) const;

 private:
  std::string template_name_;
  int template_version_;
  Task task_;
  TargetDescription target_;
  SearchSpace space_;
  ConstraintSystem limits_;
  CompiledConstraints compiled_limits_;
  std::shared_ptr<const Schedule> schedule_;
};

/** To add a template: one file core/schedule/templates/NAME.cpp with a function that gives this, and its line
 * in core/schedule/template_registry.cpp. */
struct TemplateDeclaration {
  std::string name;
  /** Raised whenever the same configuration would mean another kernel or space; a kernel's own may be an
   * older one, where those of its target stayed as they were. */
  int version = 1;
  std::vector<TargetKind> targets;
  std::string summary;  ///< one line
  std::string source;   ///< where its knobs come from
  /** Why it does not fit a task, or nothing. */
  std::function<Status(const Task&, const TargetDescription&)> fits;
  std::function<Result<ScheduledKernel>(const Task&, const TargetDescription&)> apply;
};

/** All templates, in the order in which apply_template tries them; made on the first call. */
const std::vector<TemplateDeclaration>& template_registry();

/** Whether a template has kernels for this kind of target. */
inline bool supports(const TemplateDeclaration& declaration, TargetKind target) {
  return std::ranges::find(declaration.targets, target) != declaration.targets.end();
}

/** "cuda, opencl": its targets as users write them. */
std::string targets_text(const TemplateDeclaration& declaration);

/** By name for this kind of target; the error offers the nearest names and says which targets have it. */
Result<const TemplateDeclaration*> find_template(std::string_view name, TargetKind target);

/** The named template, or the first registered that fits; where none does, each one's reason. */
Result<ScheduledKernel> apply_template(const Task& task, const TargetDescription& target,
                                       std::string_view name = {});

}  // namespace kernelscape
