#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/fleet/redis_connection.h"
#include "core/fleet/task_queue.h"
#include "core/fleet/worker_registry.h"

namespace kernelscape {

/** A stream of tasks. */
struct FleetQueue {
  std::string name{};        ///< the class that it is run on, or the tool chain that it is built with
  bool builds = false;       ///< kernels are built, not run
  std::int64_t waiting = 0;  ///< tasks that no worker has
  std::int64_t in_hand = 0;  ///< tasks that one has
};

/** A task that was given up. */
struct DeadLetter {
  std::string task{};
  std::string worker{};  ///< that told it
  std::string reason{};
  std::int64_t seconds = 0;  ///< when, by Redis's clock, since 1970
};

/** A fleet at one moment, as a value: for whoever shows it. */
struct FleetState {
  std::string address{};
  std::vector<WorkerState> workers{};  ///< by number
  std::vector<FleetQueue> queues{};    ///< by name
  std::vector<DeadLetter> dead{};      ///< the latest first, at most a hundred
  std::int64_t used_bytes = 0;         ///< of Redis's memory; 0: it does not tell
  std::int64_t most_bytes = 0;         ///< of that, its maxmemory; 0: no limit

  /** The classes of workers that have a device, each once, by name. */
  std::vector<std::string> classes() const;
};

/** Reads it all; nothing in the fleet changes. */
Result<FleetState> read_fleet_state(RedisConnection& connection, const QueueTimes& times);

/** What a session on this class should hear before it begins: workers that are no part of it though one might
 * think so, and what nobody there can build. */
std::vector<std::string> notices_of(const FleetState& state, const DeviceClass& device);

}  // namespace kernelscape
