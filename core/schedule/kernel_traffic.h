#pragma once

#include "core/base/result.h"
#include "core/loop_nest/traffic.h"
#include "core/schedule/template.h"

namespace kernelscape::schedule {

/**
 * Estimates the bytes that a configuration's kernel moves between the target's caches, from its loops.
 * Refused for a GPU's kernel and for a configuration that violates the target's limits. @param threads of the
 * kernel
 */
Result<loop_nest::TrafficEstimate> estimate_kernel_traffic(const ScheduledKernel& kernel,
                                                           const space::Configuration& configuration,
                                                           int threads);

}  // namespace kernelscape::schedule
