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
   * Redis that is gone is waited for; may be empty @param was_there it has answered before: one that does not
   * now is waited for */
  Result<RedisConnection> connect(std::function<bool()> give_up = {}, bool was_there = false) const {
    return RedisConnection::open(address, secret.password,
                                 {.first_seconds = was_there ? patience_seconds : 0,
                                  .reconnect_seconds = patience_seconds,
                                  .give_up = std::move(give_up)});
  }
};

}  // namespace kernelscape
