#pragma once

#include <memory>
#include <vector>

#include "core/fleet/machine_arbiter.h"
#include "core/fleet/task_executor.h"
#include "core/schedule/target.h"

namespace kernelscape::fleet {

/**
 * Returns an executor that builds with the tools of this machine, in worker processes with the same limits as
 * in a session. @param tools one target for each installed kind of tools: its compiler is used, whatever
 * compiler a request names @param gate shared with the device's executor; must outlive the executor
 */
std::unique_ptr<BuildExecutor> make_local_builder(std::vector<schedule::TargetDescription> tools,
                                                  MachineArbiter& gate);

/**
 * Returns an executor that runs kernels on a device of this machine. @param gate shared with the builders;
 * must outlive the executor
 */
std::unique_ptr<RunExecutor> make_local_runner(const schedule::TargetDescription& device,
                                               MachineArbiter& gate);

}  // namespace kernelscape::fleet
