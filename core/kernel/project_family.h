#pragma once

#include <memory>
#include <string>

#include "core/kernel/kernel_family.h"
#include "core/project/kernel_project.h"
#include "core/project/project_source.h"

namespace kernelscape {

/**
 * What a user's kernel computes, as a task: its project's name, kernel and problem, FLOPs and bytes where the
 * project says them.
 */
Task task_of_project(const KernelProject& project);

/** Kernels of a user's own source, with its macros set. */
class ProjectFamily final : public KernelFamily {
 public:
  /**
   * InvalidArgument: a target for another language, a project that can't be run (check_runnable), parameters
   * and conditions that make no space.
   */
  static Result<std::shared_ptr<const ProjectFamily>> make(std::shared_ptr<const KernelProject> project,
                                                           const TargetDescription& target);

  const Task& task() const override { return task_; }
  const SearchSpace& space() const override { return space_; }
  Result<KernelSource> source(const Configuration& configuration) const override;
  const ProgramData* data() const override { return &data_; }

  const KernelProject& project() const { return *project_; }  ///< as it was read
  /** What its user should hear before a run: of the project and of its space. */
  const std::vector<std::string>& notices() const { return notices_; }

 private:
  ProjectFamily(std::shared_ptr<const KernelProject> project, const TargetDescription& target,
                ProjectSpace space);

  std::shared_ptr<const KernelProject> project_;
  Task task_;
  SearchSpace space_;
  std::vector<std::string> notices_;
  ProgramData data_;  ///< with references as workers call them
  LaunchLimits limits_;
  KnownFlags flags_;
};

}  // namespace kernelscape
