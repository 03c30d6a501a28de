#pragma once

#include "core/base/result.h"
#include "core/loop_nest/traffic.h"
#include "core/schedule/template.h"

namespace kernelscape {

/**
 * What the kernel of a configuration moves between the target's caches, estimated from its loops. Refused: a
 * GPU's kernel, a configuration that the target's limits refuse. @param threads of the kernel
 */
Result<TrafficEstimate> estimate_kernel_traffic(const ScheduledKernel& kernel,
                                                const Configuration& configuration, int threads);

}  // namespace kernelscape
