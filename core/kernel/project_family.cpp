#include "core/kernel/project_family.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/project/function_name.h"
#include "core/project/host_language.h"

namespace kernelscape {
namespace {

LaunchLimits limits_of_target(const TargetDescription& target) {
  LaunchLimits limits{.block = {target.block_x, target.block_y, target.block_z},
                      .grid = {target.grid_x, target.grid_y, target.grid_z},
                      .threads = target.threads_per_block,
                      .shared_bytes = target.shared_bytes};
  // CUDA's dynamic shared memory may use all shared memory of a multiprocessor if a kernel requests it.
  if (target.kind == TargetKind::Cuda)
    limits.shared_bytes = std::max(target.shared_bytes, target.shared_bytes_per_multiprocessor);
  return limits;
}

/**
 * Returns the options for targets that run a language: "--target cuda:0, or --target cuda --arch sm_80
 * --build-only".
 */
std::string_view targets_of(Dialect dialect) {
  switch (dialect) {
    case Dialect::C:
      return "--target cpu";
    case Dialect::Cuda:
      return "--target cuda:0, or --target cuda --arch sm_80 --build-only";
    case Dialect::OpenCl:
      break;
  }
  return "--target opencl:0";
}

/**
 * Returns the flags with which a user's source is built in addition to its own: none that it does not expect.
 */
KnownFlags flags_of_project(const KernelProject& project, const TargetDescription& target) {
  std::vector<std::string> words = flags_to_build_with(project.dialect, target.flags).known.words();
  // The templates vectorize explicitly; a user's loops are vectorized by the compiler.
  std::erase(words, "-fno-tree-vectorize");
  const auto sets_standard = [](std::string_view flag) {
    return flag.starts_with("-std=") || flag.starts_with("--std=");
  };
  // NVRTC accepts one such option.
  if (std::ranges::any_of(project.flags, sets_standard)) std::erase_if(words, sets_standard);
  return sort_flags(project.dialect, words).known;
}

}  // namespace

Task task_of_project(const KernelProject& project) {
  std::vector<std::string> extents;
  for (const std::int64_t extent : project.problem_size) extents.push_back(std::to_string(extent));
  GenericProblem problem{.problem = project.kernel_name,
                         .objective = "time",
                         .unit = "seconds",
                         .flops = project.flops,
                         .bytes = project.bytes};
  if (!extents.empty()) problem.problem += " " + join(extents, "x");
  // All of this was checked when the project was read.
  return make_generic_task(problem, project.name).value();
}

Result<std::shared_ptr<const ProjectFamily>> ProjectFamily::make(std::shared_ptr<const KernelProject> project,
                                                                 const TargetDescription& target) {
  if (dialect_of(target.kind) != project->dialect)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is a kernel in {}, which the target {} does not run", project->name,
                            language_of(*project), target.name),
                fmt::format("give {}", targets_of(project->dialect)));
  TRY(check_runnable(*project));
  ProjectSpace space =
      TRY(make_project_space(project->parameters, project->conditions, project->problem_size));
  return std::shared_ptr<const ProjectFamily>(
      new ProjectFamily(std::move(project), target, std::move(space)));
}

ProjectFamily::ProjectFamily(std::shared_ptr<const KernelProject> project, const TargetDescription& target,
                             ProjectSpace space)
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
  KernelSource& reference = data_.answer.reference;
  const AnswerKind kind = data_.answer.kind;
  const bool run = kind == AnswerKind::Kernel || kind == AnswerKind::Function;
  if (run && reference.dialect == Dialect::C)
    reference = callable_source(std::move(reference), data_.arguments);
}

Result<KernelSource> ProjectFamily::source(const Configuration& configuration) const {
  const PythonNames names = names_of_configuration(*project_, space_, configuration);
  KernelSource source;
  source.launch = TRY(launch_of(*project_, names, limits_));
  source.dialect = project_->dialect;
  source.text = expanded_source(*project_, space_, configuration);
  source.entry = TRY(entry_of(*project_, names));
  source.flags = flags_;
  source.parts = project_->parts;
  source.user_flags = TRY(flags_of(*project_, names));
  source.includes = project_->includes;
  if (source.dialect == Dialect::C) return callable_source(std::move(source), data_.arguments);
  return source;
}

}  // namespace kernelscape
