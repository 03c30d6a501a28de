#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/fleet/worker_registry.h"

namespace kernelscape::fleet {

/**
 * Returns notices for the user if no worker can build or run the kernels of a class at the moment, or if all
 * workers of the class wait for their machines.
 */
std::vector<std::string> missing_worker_notices(std::span<const WorkerState> workers,
                                                const DeviceClass& device);

}  // namespace kernelscape::fleet
