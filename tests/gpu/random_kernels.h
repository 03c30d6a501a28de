#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/kernel/family.h"
#include "core/schedule/template.h"

namespace kernelscape::gpu_proof {

/** A template on a random task that it fits, and random configurations that the target does not refuse. */
struct RandomKernels {
  std::shared_ptr<const kernel::ScheduleFamily> family;
  std::vector<space::Configuration> configurations;
};

/** The templates that have kernels for this kind of target. */
std::vector<const schedule::TemplateDeclaration*> templates_for(schedule::TargetKind kind);

/** Nothing where no small task fits on this target, as without tensor cores. */
std::optional<RandomKernels> draw_kernels(const schedule::TemplateDeclaration& declaration,
                                          const schedule::TargetDescription& target, base::Random random,
                                          double max_flops, int count);

/** The task and the knobs, in words. */
std::string describe_kernel(const kernel::ScheduleFamily& family, const space::Configuration& configuration);

}  // namespace kernelscape::gpu_proof
