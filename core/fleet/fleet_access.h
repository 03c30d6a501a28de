#pragma once

#include <functional>
#include <utility>

#include "core/base/result.h"
#include "core/fleet/fleet_secret.h"
#include "core/fleet/redis_address.h"
#include "core/fleet/redis_connection.h"
#include "core/fleet/task_queue.h"

namespace kernelscape {

/** How a controller gets at a fleet. */
struct FleetAccess {
  RedisAddress address{};
  FleetSecret secret{};
  QueueTimes times{};
  double patience_seconds = 60;  ///< for a Redis that is gone

  /** A connection of its own for who asks. Errors: as RedisConnection::open(). @param give_up asked while a
   * Redis that is gone is waited for; may be empty */
  Result<RedisConnection> connect(std::function<bool()> give_up = {}) const {
    return RedisConnection::open(address, secret.password,
                                 {.reconnect_seconds = patience_seconds, .give_up = std::move(give_up)});
  }
};

}  // namespace kernelscape
