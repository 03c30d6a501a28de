#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/kernel/kernel_family.h"
#include "core/schedule/template.h"

namespace kernelscape::gpu_proof {

/** A template on a random task that it fits, and random configurations that the target does not refuse. */
struct RandomKernels {
  std::shared_ptr<const ScheduleFamily> family;
  std::vector<Configuration> configurations;
};

/** The templates that have kernels for this kind of target. */
std::vector<const TemplateDeclaration*> templates_for(TargetKind kind);

/** Nothing where no small task fits on this target, as without tensor cores. */
std::optional<RandomKernels> draw_kernels(const TemplateDeclaration& declaration,
                                          const TargetDescription& target, Random random, double max_flops,
                                          int count);

/** The task and the knobs, in words. */
std::string describe_kernel(const ScheduleFamily& family, const Configuration& configuration);

}  // namespace kernelscape::gpu_proof
