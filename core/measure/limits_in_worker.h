#pragma once

#include "core/measure/cpu/machine_limits.h"
#include "core/measure/interruption.h"

namespace kernelscape {

/** Of a GPU, measured in a worker of its own; zeros where they can't be. The caller holds the device's lease.
 */
MachineLimits measure_gpu_limits_in_worker(const TargetDescription& target, double working_set_bytes,
                                           const Interruption& interruption = {});

}  // namespace kernelscape
