#include "core/fleet/missing_workers.h"

#include <fmt/format.h>

#include <algorithm>

namespace kernelscape::fleet {

std::vector<std::string> missing_worker_notices(std::span<const WorkerState> workers,
                                                const DeviceClass& device) {
  const auto runs_class = [&](const WorkerState& worker) {
    return worker.serves() && !worker.identity.devices.empty() &&
           worker.identity.devices.front().id == device.id;
  };
  const bool runs = std::ranges::any_of(workers, runs_class);
  const bool all_wait = std::ranges::none_of(
      workers, [&](const WorkerState& worker) { return runs_class(worker) && worker.state != "waiting"; });
  const bool builds = std::ranges::any_of(workers, [&](const WorkerState& worker) {
    return worker.serves() && worker.identity.builders > 0 &&
           std::ranges::find(worker.identity.tool_chains, device.tool_chain) !=
               worker.identity.tool_chains.end();
  });
  std::vector<std::string> notices;
  if (!runs) {
    notices.push_back(
        fmt::format("the fleet has no worker of the class {} at the moment: waiting for one", device.id));
  } else if (all_wait) {
    notices.push_back(fmt::format(
        "all workers of the class {} wait, because their machines are slower than usual", device.id));
  }
  if (!builds) {
    notices.push_back(fmt::format(
        "the fleet has no builder with the tool chain {} at the moment: waiting for one", device.tool_chain));
  }
  return notices;
}

}  // namespace kernelscape::fleet
