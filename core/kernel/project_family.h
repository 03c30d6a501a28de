#pragma once

#include <memory>
#include <string>

#include "core/kernel/family.h"
#include "core/project/kernel_project.h"
#include "core/project/source.h"

namespace kernelscape::kernel {

/**
 * Returns the task that a user's kernel computes: the name, kernel and problem of its project, and FLOPs and
 * bytes if the project specifies them.
 */
task::Task task_of_project(const project::KernelProject& project);

/**
 * Kernels of a user's own source, whose macros are set from the configuration. Of a program it has the space:
 * its commands are made by measure::commands_of().
 */
class ProjectFamily final : public Family {
 public:
  /**
   * Makes the family. Returns InvalidArgument if the target uses another language or is not this machine's
   * CPU for a program, if the project can't be run (check_runnable), or if its parameters and conditions make
   * no space.
   */
  static Result<std::shared_ptr<const ProjectFamily>> make(
      std::shared_ptr<const project::KernelProject> project, const schedule::TargetDescription& target);

  const task::Task& task() const override { return task_; }
  const space::SearchSpace& space() const override { return space_; }
  Result<codegen::KernelSource> source(const space::Configuration& configuration) const override;
  const project::ProgramData* data() const override { return project_->program ? nullptr : &data_; }

  const project::KernelProject& project() const { return *project_; }  ///< the project as it was read
  /** Returns the notices about the project and its space that the user should see before a run. */
  const std::vector<std::string>& notices() const { return notices_; }

 private:
  ProjectFamily(std::shared_ptr<const project::KernelProject> project,
                const schedule::TargetDescription& target, project::Space space);

  std::shared_ptr<const project::KernelProject> project_;
  task::Task task_;
  space::SearchSpace space_;
  std::vector<std::string> notices_;
  project::ProgramData data_;  ///< the arguments; references are in the form in which workers call them
  project::LaunchLimits limits_;
  codegen::KnownFlags flags_;
};

}  // namespace kernelscape::kernel
