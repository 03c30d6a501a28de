#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/fleet/redis_connection.h"
#include "core/fleet/task_queue.h"
#include "core/fleet/worker_registry.h"

namespace kernelscape::fleet {

/** A stream of tasks. */
struct Queue {
  std::string name{};        ///< the device class that runs the kernels, or the tool chain that builds them
  bool builds = false;       ///< the tasks build kernels; else they run kernels
  std::int64_t waiting = 0;  ///< tasks that no worker has taken
  std::int64_t in_hand = 0;  ///< tasks in flight: a worker has taken them
};

/** A task that was given up. */
struct DeadLetter {
  std::string task{};
  std::string worker{};  ///< the worker that reported it
  std::string reason{};
  std::int64_t seconds = 0;  ///< time by the clock of Redis, since 1970
};

/** A snapshot of a fleet, for display. */
struct State {
  std::string address{};
  std::vector<WorkerState> workers{};  ///< by number
  std::vector<Queue> queues{};         ///< by name
  std::vector<DeadLetter> dead{};      ///< newest first, at most a hundred
  std::int64_t used_bytes = 0;         ///< memory that Redis uses; 0: unknown
  std::int64_t max_bytes = 0;          ///< maxmemory of Redis; 0: no limit

  /** Returns the classes of workers that have a device, each once, by name. */
  std::vector<std::string> classes() const;
};

/** Reads the state of the fleet without changing the fleet. */
Result<State> read_fleet_state(RedisConnection& connection, const QueueTimes& times);

/**
 * Returns the notices for a session on this class before it starts: workers that do not belong to the class
 * although a user might expect so, and tool chains that no worker has.
 */
std::vector<std::string> notices_of(const State& state, const DeviceClass& device);

}  // namespace kernelscape::fleet
