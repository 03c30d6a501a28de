#include "tests/gpu/random_kernels.h"

#include <fmt/format.h>

#include <stdexcept>

#include "tests/schedule/random_tasks.h"

namespace kernelscape::gpu_proof {

std::vector<const schedule::TemplateDeclaration*> templates_for(schedule::TargetKind kind) {
  return testing::templates_of(kind);
}

std::optional<RandomKernels> draw_kernels(const schedule::TemplateDeclaration& declaration,
                                          const schedule::TargetDescription& target, base::Random random,
                                          double max_flops, int count) {
  try {
    const task::Task task = testing::random_task(declaration, target, random, max_flops);
    Result<schedule::ScheduledKernel> kernel = declaration.apply(task, target);
    if (!kernel) return std::nullopt;
    RandomKernels drawn{std::make_shared<const kernel::ScheduleFamily>(std::move(*kernel)), {}};
    for (int i = 0; i < count; ++i)
      drawn.configurations.push_back(testing::accepted_member(drawn.family->kernel(), random));
    return drawn;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

std::string describe_kernel(const kernel::ScheduleFamily& family, const space::Configuration& configuration) {
  return fmt::format("{} of {}: {}", family.kernel().template_name(), family.task().text,
                     family.space().describe(configuration));
}

}  // namespace kernelscape::gpu_proof
