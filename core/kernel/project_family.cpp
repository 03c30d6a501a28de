#include "core/kernel/project_family.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/project/function_name.h"
#include "core/project/host_language.h"

namespace kernelscape::kernel {
namespace {

project::LaunchLimits limits_of_target(const schedule::TargetDescription& target) {
  project::LaunchLimits limits{.block = {target.block_x, target.block_y, target.block_z},
                               .grid = {target.grid_x, target.grid_y, target.grid_z},
                               .threads = target.threads_per_block,
                               .shared_bytes = target.shared_bytes};
  // CUDA's dynamic shared memory may use all shared memory of a multiprocessor if a kernel requests it.
  if (target.kind == schedule::TargetKind::Cuda)
    limits.shared_bytes = std::max(target.shared_bytes, target.shared_bytes_per_multiprocessor);
  return limits;
}

/**
 * Returns the options for targets that run a language: "--target cuda:0, or --target cuda --arch sm_80
 * --build-only".
 */
std::string_view targets_of(codegen::Dialect dialect) {
  switch (dialect) {
    case codegen::Dialect::C:
      return "--target cpu";
    case codegen::Dialect::Cuda:
      return "--target cuda:0, or --target cuda --arch sm_80 --build-only";
    case codegen::Dialect::OpenCl:
      break;
  }
  return "--target opencl:0";
}

/**
 * Returns the flags with which a user's source is built in addition to its own: none that it does not expect.
 */
codegen::KnownFlags flags_of_project(const project::KernelProject& project,
                                     const schedule::TargetDescription& target) {
  std::vector<std::string> words = codegen::flags_to_build_with(project.dialect, target.flags).known.words();
  // The templates vectorize explicitly; a user's loops are vectorized by the compiler.
  std::erase(words, "-fno-tree-vectorize");
  const auto sets_standard = [](std::string_view flag) {
    return flag.starts_with("-std=") || flag.starts_with("--std=");
  };
  // NVRTC accepts one such option.
  if (std::ranges::any_of(project.flags, sets_standard)) std::erase_if(words, sets_standard);
  return codegen::sort_flags(project.dialect, words).known;
}

}  // namespace

task::Task task_of_project(const project::KernelProject& project) {
  std::vector<std::string> extents;
  for (const std::int64_t extent : project.problem_size) extents.push_back(std::to_string(extent));
  task::GenericProblem problem{.problem = project.kernel_name,
                               .objective = "time",
                               .unit = "seconds",
                               .flops = project.flops,
                               .bytes = project.bytes};
  if (project.program) {
    problem.problem = project.name.empty() ? "program" : project.name;
    problem.objective = project.program->objective.name;
    if (problem.objective != "time") problem.unit = project.program->objective.unit;
  }
  if (!extents.empty()) problem.problem += " " + base::join(extents, "x");
  // All of this was checked when the project was read.
  return task::make_generic_task(problem, project.name).value();
}

Result<std::shared_ptr<const ProjectFamily>> ProjectFamily::make(
    std::shared_ptr<const project::KernelProject> project, const schedule::TargetDescription& target) {
  if (project->program && (target.kind != schedule::TargetKind::Cpu || !target.fleet.empty()))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is a program, which runs on this machine and not on the target {}",
                            base::quoted_line(project->name), target.user_name()),
                "give --target cpu; a program may use a GPU by itself");
  if (dialect_of(target.kind) != project->dialect)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is a kernel in {}, which the target {} does not run", project->name,
                            project::language_of(*project), target.name),
                fmt::format("give {}", targets_of(project->dialect)));
  TRY(project::check_runnable(*project));
  project::Space space =
      TRY(project::make_project_space(project->parameters, project->conditions, project->problem_size));
  return std::shared_ptr<const ProjectFamily>(
      new ProjectFamily(std::move(project), target, std::move(space)));
}

ProjectFamily::ProjectFamily(std::shared_ptr<const project::KernelProject> project,
                             const schedule::TargetDescription& target, project::Space space)
    : project_(std::move(project)),
      task_(task_of_project(*project_)),
      space_(std::move(space.space)),
      notices_(project_->notices),
      data_(project_->data),
      limits_(limits_of_target(target)),
      flags_(flags_of_project(*project_, target)) {
  for (std::string& notice : space.notices) {
    if (std::ranges::find(notices_, notice) == notices_.end()) notices_.push_back(std::move(notice));
  }
  codegen::KernelSource& reference = data_.answer.reference;
  const project::AnswerKind kind = data_.answer.kind;
  const bool run = kind == project::AnswerKind::Kernel || kind == project::AnswerKind::Function;
  if (run && reference.dialect == codegen::Dialect::C)
    reference = project::callable_source(std::move(reference), data_.arguments);
}

Result<codegen::KernelSource> ProjectFamily::source(const space::Configuration& configuration) const {
  if (project_->program)
    return fail(ErrorCode::Refused,
                fmt::format("{} is a program, which has commands in place of a kernel",
                            base::quoted_line(project_->name)),
                "export the trial with --format configuration");
  const project::PythonNames names = project::names_of_configuration(*project_, space_, configuration);
  codegen::KernelSource source;
  source.launch = TRY(project::launch_of(*project_, names, limits_));
  source.dialect = project_->dialect;
  source.text = project::expanded_source(*project_, space_, configuration);
  source.entry = TRY(project::entry_of(*project_, names));
  source.flags = flags_;
  source.parts = project_->parts;
  source.user_flags = TRY(project::flags_of(*project_, names));
  source.includes = project_->includes;
  if (source.dialect == codegen::Dialect::C)
    return project::callable_source(std::move(source), data_.arguments);
  return source;
}

}  // namespace kernelscape::kernel
