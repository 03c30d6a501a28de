#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/fleet/access.h"
#include "core/fleet/messages.h"
#include "core/fleet/redis_connection.h"

namespace kernelscape::fleet {

/**
 * Posts a controller's tasks to streams: signed, with a unique nonce and a limited lifetime by the clock of
 * Redis. Used by one thread.
 */
class TaskPoster {
 public:
  /**
   * Opens a poster with a new connection. Errors: as RedisConnection::open(). @param access must outlive the
   * returned object @param give_up and was_there as for Access::connect()
   */
  static Result<TaskPoster> open(const Access& access, double good_seconds,
                                 std::function<bool()> give_up = {}, bool was_there = false);

  /** Posts a task and returns the id of its stream entry. */
  Result<std::string> post(const std::string& stream, Task task);
  /**
   * Stores bytes under their SHA-256, which it returns. Returns InvalidArgument if the bytes exceed the limit
   * of Redis.
   */
  Result<std::string> put_blob(const std::string& bytes);

  RedisConnection& connection() { return connection_; }  ///< for other commands of the same thread

 private:
  TaskPoster(const Access& access, RedisConnection connection, double good_seconds)
      : access_(&access), connection_(std::move(connection)), good_seconds_(good_seconds) {}
  Result<std::int64_t> redis_seconds();

  const Access* access_;
  RedisConnection connection_;
  double good_seconds_;
  std::int64_t notified_seconds_ = 0;  ///< the last time that Redis reported
  std::chrono::steady_clock::time_point notified_at_{};
};

}  // namespace kernelscape::fleet
