#pragma once

#include <functional>
#include <optional>

#include "core/base/result.h"
#include "core/kernel/family.h"
#include "core/measure/measurer.h"
#include "core/schedule/target.h"
#include "core/trial/counter_reading.h"

namespace kernelscape::measure {

/**
 * Builds one configuration of a CPU kernel, checks it, and counts processor events during repeated calls;
 * then samples at which instructions its threads are, if the kernel is from a template and the system allows
 * it. This measurement is separate from the trials and ranks nothing. The caller holds the device's lease.
 * Returns Refused for a GPU kernel, for a kernel that fails (with its error), and in a build-only session.
 * @return nullopt if it was stopped
 */
Result<std::optional<trial::CounterReading>> count_configuration(const kernel::Family& family,
                                                                 const schedule::TargetDescription& target,
                                                                 const trial::MeasureOptions& options,
                                                                 const space::Configuration& configuration,
                                                                 const std::function<bool()>& stop = {});

}  // namespace kernelscape::measure
