#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/fleet/fleet_measurer.h"
#include "core/measure/worker/protocol.h"

namespace kernelscape {

/** Options for the compiler on the class's processor, whatever the builder's is. */
std::vector<std::string> flags_for(const DeviceClass& device, const std::vector<std::string>& flags);

/** A kernel's build for the devices of a class. */
FleetTask build_task_of(KernelSource source, const DeviceClass& device, double timeout_seconds);

/**
 * What workers of a class make ready before a family's kernels are run there, as the frame of a
 * PrepareRequest. For a user's kernels it has what is right: their reference is built by the fleet; where
 * there is none, the first members of the space are built and run until one gives outputs, as
 * prepare_program() does on one machine.
 *
 * @return nothing: it was stopped
 * Errors: InvalidArgument where the reference does not build or none of the first members runs; Corrupt where
 * Redis loses what it is given, again and again; else as FleetQuestion.
 */
Result<std::optional<std::string>> prepare_on_fleet(const KernelFamily& family,
                                                    const FleetMeasuring& measuring,
                                                    const MeasureOptions& options,
                                                    const std::function<bool()>& stop);

}  // namespace kernelscape
