#pragma once

#include <functional>
#include <utility>

#include "core/base/result.h"
#include "core/fleet/redis_address.h"
#include "core/fleet/redis_connection.h"
#include "core/fleet/secret.h"
#include "core/fleet/task_queue.h"

namespace kernelscape::fleet {

/** Describes how a controller connects to a fleet. */
struct Access {
  RedisAddress address{};
  Secret secret{};
  QueueTimes times{};
  double patience_seconds = 60;  ///< how long to wait for a Redis that does not respond

  /**
   * Returns a new connection for the caller. Errors: as RedisConnection::open(). @param give_up polled while
   * waiting for a Redis that does not respond; may be empty @param was_there Redis has answered before: wait
   * for it if it does not answer now
   */
  Result<RedisConnection> connect(std::function<bool()> give_up = {}, bool was_there = false) const {
    return RedisConnection::open(address, secret.password,
                                 {.first_seconds = was_there ? patience_seconds : 0,
                                  .reconnect_seconds = patience_seconds,
                                  .give_up = std::move(give_up)});
  }
};

}  // namespace kernelscape::fleet
