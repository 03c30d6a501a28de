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

namespace kernelscape::schedule {

class Schedule;

/** A loop nest ready for emission, with the tensors it reads and writes in the layouts that this
 * configuration chose. */
struct LoweredKernel {
  loop_nest::LoopNest nest;
};

/** A template applied to a task for a target: the space, the limits, and a kernel per configuration.
 * Immutable. */
class ScheduledKernel {
 public:
  ScheduledKernel(std::string template_name, int template_version, task::Task task, TargetDescription target,
                  space::SearchSpace space, space::ConstraintSystem limits,
                  std::shared_ptr<const Schedule> schedule);

  /// name as users write it: "conv2d-packed"
  const std::string& template_name() const { return template_name_; }
  /** Returns the version; another version has another space or other kernels. */
  int template_version() const { return template_version_; }
  const task::Task& task() const { return task_; }             ///< the computation of its kernels
  const TargetDescription& target() const { return target_; }  ///< the target that its kernels are built for
  const space::SearchSpace& space() const { return space_; }   ///< members; some may violate the limits
  /** Returns the recorded primitives. */
  const Schedule& schedule() const { return *schedule_; }
  /** Returns the recorded primitives for code that may outlive the kernel. */
  const std::shared_ptr<const Schedule>& shared_schedule() const { return schedule_; }

  /**
   * Returns the limits of the target. A configuration that violates one is an INSTANTIATION_ERROR. The
   * variables refer to the space's knobs.
   */
  const space::ConstraintSystem& limits() const { return limits_; }
  /** Returns true if a member violates none of the limits. Takes a fraction of a microsecond. */
  bool within_limits(const space::Configuration& configuration) const {
    return compiled_limits_.satisfied(space_.knobs(), configuration);
  }

  /**
   * Returns the same kernels without limits: whether such a kernel works is only known once it is built and
   * run.
   */
  ScheduledKernel without_limits() const;

  /** Returns the loop nest of a configuration, or an error with the limit that it violates. */
  Result<LoweredKernel> lower(const space::Configuration& configuration) const;

 private:
  std::string template_name_;
  int template_version_;
  task::Task task_;
  TargetDescription target_;
  space::SearchSpace space_;
  space::ConstraintSystem limits_;
  space::CompiledConstraints compiled_limits_;
  std::shared_ptr<const Schedule> schedule_;
};

/**
 * Declares a template. To add a template: write one file core/schedule/templates/NAME.cpp with a function
 * that returns its declaration, and add the function to core/schedule/template_registry.cpp.
 */
struct TemplateDeclaration {
  std::string name;
  /**
   * Raised whenever the same configuration would stand for another kernel or space. A kernel's own version
   * may be older if the kernels of its target did not change.
   */
  int version = 1;
  std::vector<TargetKind> targets;
  std::string summary;  ///< one line
  std::string source;   ///< source of its knobs
  /** Returns ok if the template fits the task, otherwise the reason why it does not. */
  std::function<Status(const task::Task&, const TargetDescription&)> fits;
  std::function<Result<ScheduledKernel>(const task::Task&, const TargetDescription&)> apply;
  /// false: its kernels round in other places than the definition, and are checked within a bound of their
  /// own
  bool exact = true;
};

/** Returns all templates in the order in which apply_template tries them. Built on the first call. */
const std::vector<TemplateDeclaration>& template_registry();

/** Returns true if the template has kernels for this kind of target. */
inline bool supports(const TemplateDeclaration& declaration, TargetKind target) {
  return std::ranges::find(declaration.targets, target) != declaration.targets.end();
}

/** Returns the template's targets as users write them: "cuda, opencl". */
std::string targets_text(const TemplateDeclaration& declaration);

/**
 * Returns the template with this name for this kind of target. The error suggests the nearest names and lists
 * the targets that have the template.
 */
Result<const TemplateDeclaration*> find_template(std::string_view name, TargetKind target);

/**
 * Applies the named template, or the first registered one that fits. If none fits, the error lists the reason
 * of each.
 */
Result<ScheduledKernel> apply_template(const task::Task& task, const TargetDescription& target,
                                       std::string_view name = {});

/**
 * Returns the template of a new session whose user named none; empty: the first that fits. It is the template
 * of Winograd's algorithm that is estimated to be the fastest, if one fits and is estimated to be clearly
 * faster than the definition's sums.
 * @param exact true: templates that are not `exact` are left out
 */
std::string default_template(const task::Task& task, const TargetDescription& target, bool exact);

}  // namespace kernelscape::schedule
