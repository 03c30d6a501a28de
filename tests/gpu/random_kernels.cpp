#include "tests/gpu/random_kernels.h"

#include <fmt/format.h>

#include <stdexcept>

#include "tests/schedule/random_tasks.h"

namespace kernelscape::gpu_proof {

std::vector<const TemplateDeclaration*> templates_for(TargetKind kind) { return testing::templates_of(kind); }

std::optional<RandomKernels> draw_kernels(const TemplateDeclaration& declaration,
                                          const TargetDescription& target, Random random, double max_flops,
                                          int count) {
  try {
    const Task task = testing::random_task(declaration, target, random, max_flops);
    Result<ScheduledKernel> kernel = declaration.apply(task, target);
    if (!kernel) return std::nullopt;
    RandomKernels drawn{std::make_shared<const ScheduleFamily>(std::move(*kernel)), {}};
    for (int i = 0; i < count; ++i)
      drawn.configurations.push_back(testing::accepted_member(drawn.family->kernel(), random));
    return drawn;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

std::string describe_kernel(const ScheduleFamily& family, const Configuration& configuration) {
  return fmt::format("{} of {}: {}", family.kernel().template_name(), family.task().text,
                     family.space().describe(configuration));
}

}  // namespace kernelscape::gpu_proof
