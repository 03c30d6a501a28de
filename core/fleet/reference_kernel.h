#pragma once

#include <functional>

#include "core/base/result.h"
#include "core/schedule/target.h"

namespace kernelscape {

/**
 * Seconds of a kernel that is the same for all devices of a class: a small product of matrices, in the first
 * configuration that works, the best of many samples. Takes a few seconds; the caller holds the device's
 * lease. Errors: there is no such kernel for the device, or the machine's fault.
 * @param stop asked meanwhile; may be empty
 */
Result<double> measure_reference_kernel(const TargetDescription& target,
                                        const std::function<bool()>& stop = {});

}  // namespace kernelscape
