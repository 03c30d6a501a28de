#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/measure/kernel_family.h"
#include "core/measure/measurer.h"
#include "core/schedule/target.h"

namespace kernelscape {

/**
 * Measures kernels of a family on this machine's CPU: builds on all cores, then runs one after another, never
 * both. The target must come from describe_cpu_target(). Errors: a target that is no CPU, a generic task,
 * options out of range, no worker program.
 */
Result<std::unique_ptr<Measurer>> make_cpu_measurer(std::shared_ptr<const KernelFamily> family,
                                                    const TargetDescription& target,
                                                    const MeasureOptions& options);

}  // namespace kernelscape
