#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/fleet/fleet_secret.h"
#include "core/fleet/redis_address.h"
#include "core/fleet/task_executor.h"
#include "core/fleet/task_queue.h"
#include "core/fleet/worker_registry.h"

namespace kernelscape {

/** What a worker of a fleet is made from. */
struct FleetWorkerSetup {
  RedisAddress address{};
  FleetSecret secret{};
  QueueTimes times{};
  int most_deliveries = 3;        ///< a task that lost so many workers is given up
  double reference_share = 0.05;  ///< a device that differs by more from its class is a class of its own
  double patience_seconds = 300;  ///< for a Redis that is gone
  WorkerIdentity identity{};
  Executors executors{};
  std::function<int()> stop{};  ///< 0: go on, 1: finish what is begun and leave, 2: hand that back and leave
  std::function<void(const std::string&)> say{};        ///< what its user should know; may be empty
  std::function<std::int64_t()> temperature_celsius{};  ///< of its device; may be empty
  std::function<std::string()> other_holder{};          ///< who keeps it from working; may be empty
};

/**
 * Joins a fleet and does its tasks until it is asked to stop or to drain: a thread for each builder and for
 * the device, and one that tells that it lives. An error is why it stopped before: the machine's fault, whose
 * task somebody else has by then, or a Redis that is gone.
 */
Status serve_fleet(FleetWorkerSetup setup);

}  // namespace kernelscape
