#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/fleet/fleet_access.h"
#include "core/fleet/fleet_messages.h"
#include "core/fleet/redis_connection.h"

namespace kernelscape {

/** Puts a controller's tasks into streams: signed, with a nonce of their own, good for a while by Redis's
 * clock. Of one thread. */
class TaskPoster {
 public:
  /** Errors: as RedisConnection::open(). @param access outlives it @param give_up and was_there as
   * FleetAccess::connect()
   */
  static Result<TaskPoster> open(const FleetAccess& access, double good_seconds,
                                 std::function<bool()> give_up = {}, bool was_there = false);

  /** The id of the stream's entry. */
  Result<std::string> post(const std::string& stream, FleetTask task);
  /** Bytes under their SHA-256, which it gives. InvalidArgument: Redis takes no text as long. */
  Result<std::string> put_blob(const std::string& bytes);

  RedisConnection& connection() { return connection_; }  ///< for what else its thread asks

 private:
  TaskPoster(const FleetAccess& access, RedisConnection connection, double good_seconds)
      : access_(&access), connection_(std::move(connection)), good_seconds_(good_seconds) {}
  Result<std::int64_t> redis_seconds();

  const FleetAccess* access_;
  RedisConnection connection_;
  double good_seconds_;
  std::int64_t told_seconds_ = 0;  ///< by Redis
  std::chrono::steady_clock::time_point told_at_{};
};

}  // namespace kernelscape
