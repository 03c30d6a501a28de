#pragma once

#include <memory>
#include <vector>

#include "core/fleet/machine_gate.h"
#include "core/fleet/task_executor.h"
#include "core/schedule/target.h"

namespace kernelscape {

/**
 * Builds with this machine's tools, in worker processes with their limits as a session does.
 * @param tools a target for each kind of tools that there are: its compiler is used, whatever a request names
 * @param gate shared with the device's; outlives what it makes
 */
std::unique_ptr<BuildExecutor> make_local_builder(std::vector<TargetDescription> tools, MachineGate& gate);

/** Runs on a device of this machine, likewise. */
std::unique_ptr<RunExecutor> make_local_runner(const TargetDescription& device, MachineGate& gate);

}  // namespace kernelscape
