#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/fleet/measurer.h"
#include "core/measure/worker/protocol.h"

namespace kernelscape::fleet {

/** Returns the compiler options for the class's processor, independent of the processor of the builder. */
std::vector<std::string> flags_for(const DeviceClass& device, const std::vector<std::string>& flags);

/** Returns the task that builds a kernel for the devices of a class. */
Task build_task_of(codegen::KernelSource source, const DeviceClass& device, double timeout_seconds);

/**
 * Returns the frame of the PrepareRequest with which workers of a class prepare for a family's kernels. For a
 * user's kernels the frame contains the reference outputs: the fleet builds and runs the project's reference;
 * without a reference, the first members of the space are built and run until one of them gives outputs, as
 * prepare_program() does on a single machine. @return nullopt: it was stopped. Errors: InvalidArgument if the
 * reference does not build or none of the first members runs; Corrupt if Redis repeatedly loses data; else as
 * FleetQuestion.
 */
Result<std::optional<std::string>> prepare_on_fleet(const kernel::Family& family, const Measuring& measuring,
                                                    const trial::MeasureOptions& options,
                                                    const std::function<bool()>& stop);

}  // namespace kernelscape::fleet
