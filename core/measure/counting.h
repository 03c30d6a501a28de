#pragma once

#include <functional>
#include <optional>

#include "core/base/result.h"
#include "core/kernel/kernel_family.h"
#include "core/measure/measurer.h"
#include "core/schedule/target.h"
#include "core/trial/counter_reading.h"

namespace kernelscape {

/**
 * Builds one configuration of a CPU's kernel, checks it, and counts what the processor does while it is
 * called again and again: a measurement of its own, which ranks nothing. The caller holds the device's lease.
 * Refused: a GPU's kernel, one that goes wrong (with what went wrong), one of a build-only session.
 * @return nothing where it was stopped
 */
Result<std::optional<CounterReading>> count_configuration(const KernelFamily& family,
                                                          const TargetDescription& target,
                                                          const MeasureOptions& options,
                                                          const Configuration& configuration,
                                                          const std::function<bool()>& stop = {});

}  // namespace kernelscape
