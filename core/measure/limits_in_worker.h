#pragma once

#include "core/measure/cpu/machine_limits.h"
#include "core/measure/interruption.h"

namespace kernelscape::measure {

/**
 * Measures the limits of a GPU in a separate worker process. A limit that can't be measured is 0. The caller
 * holds the device's lease.
 */
trial::MachineLimits measure_gpu_limits_in_worker(const schedule::TargetDescription& target,
                                                  double working_set_bytes,
                                                  const Interruption& interruption = {});

}  // namespace kernelscape::measure
