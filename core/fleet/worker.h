#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/fleet/redis_address.h"
#include "core/fleet/secret.h"
#include "core/fleet/task_executor.h"
#include "core/fleet/task_queue.h"
#include "core/fleet/worker_registry.h"

namespace kernelscape::fleet {

/** The parameters of a fleet worker. */
struct WorkerSetup {
  RedisAddress address{};
  Secret secret{};
  QueueTimes times{};
  int max_deliveries = 3;         ///< a task that was lost by this many workers is given up
  double reference_share = 0.05;  ///< a device whose reference time differs by more from its class gets a
                                  ///< separate class
  /**
   * Measures the reference kernel again if the device was slower than its class when it joined: a machine
   * that is slow for a while stays in its class. Empty: the first time counts.
   */
  std::function<Result<double>()> measure_reference{};
  double recovery_seconds = 30;   ///< how long such a machine may take to recover
  double review_seconds = 600;    ///< how long a machine that becomes slow while it serves may stay in its
                                  ///< class, and when a device with a separate class is measured again
  double patience_seconds = 300;  ///< how long to wait for a Redis that does not respond
  WorkerIdentity identity{};
  Executors executors{};
  std::function<int()> stop{};  ///< 0: continue, 1: finish the current tasks and leave, 2: release the
                                ///< current tasks and leave
  std::function<void(const std::string&)> say{};        ///< reports a message to the user; may be empty
  std::function<std::int64_t()> temperature_celsius{};  ///< temperature of the device; may be empty
  std::function<std::string()> other_holder{};          ///< the program that prevents this worker from
                                                        ///< working; may be empty
};

/**
 * Joins a fleet and executes its tasks until it is asked to stop or to drain. It runs a thread for each
 * builder, one for the device, and one that sends heartbeats. Returns an error if the worker stops earlier: a
 * failure of the machine, whose task was given to another worker, or a Redis that does not respond.
 */
Status serve_fleet(WorkerSetup setup);

}  // namespace kernelscape::fleet
