#pragma once

#include <functional>

#include "core/base/result.h"
#include "core/schedule/target.h"

namespace kernelscape::fleet {

/**
 * Measures a kernel that is the same for all devices of a class and returns its time in seconds: a small
 * matrix multiplication, in the first configuration that works, the minimum of many samples. Takes a few
 * seconds; the caller holds the device's lease. Errors: there is no such kernel for the device, or the
 * machine failed. @param stop polled meanwhile; may be empty
 */
Result<double> measure_reference_kernel(const schedule::TargetDescription& target,
                                        const std::function<bool()>& stop = {});

}  // namespace kernelscape::fleet
