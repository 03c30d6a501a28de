#pragma once

#include <memory>
#include <string>

#include "core/kernel/kernel_family.h"
#include "core/project/kernel_project.h"
#include "core/project/project_source.h"

namespace kernelscape {

/**
 * Returns the task that a user's kernel computes: the name, kernel and problem of its project, and FLOPs and
 * bytes if the project specifies them.
 */
Task task_of_project(const KernelProject& project);

/** Kernels of a user's own source, whose macros are set from the configuration. */
class ProjectFamily final : public KernelFamily {
 public:
  /**
   * Makes the family. Returns InvalidArgument if the target uses another language, if the project can't be
   * run (check_runnable), or if its parameters and conditions make no space.
   */
  static Result<std::shared_ptr<const ProjectFamily>> make(std::shared_ptr<const KernelProject> project,
                                                           const TargetDescription& target);

  const Task& task() const override { return task_; }
  const SearchSpace& space() const override { return space_; }
  Result<KernelSource> source(const Configuration& configuration) const override;
  const ProgramData* data() const override { return &data_; }

  const KernelProject& project() const { return *project_; }  ///< the project as it was read
  /** Returns the notices about the project and its space that the user should see before a run. */
  const std::vector<std::string>& notices() const { return notices_; }

 private:
  ProjectFamily(std::shared_ptr<const KernelProject> project, const TargetDescription& target,
                ProjectSpace space);

  std::shared_ptr<const KernelProject> project_;
  Task task_;
  SearchSpace space_;
  std::vector<std::string> notices_;
  ProgramData data_;  ///< the arguments; references are in the form in which workers call them
  LaunchLimits limits_;
  KnownFlags flags_;
};

}  // namespace kernelscape
