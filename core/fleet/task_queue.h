#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fleet/fleet_messages.h"
#include "core/fleet/redis_connection.h"
#include "core/fleet/task_scripts.h"

namespace kernelscape {

/** A task that a worker has until it finishes it, hands it back, or stops telling that it is at it. */
struct TakenTask {
  std::string stream{};
  std::string entry{};          ///< its id in the stream
  std::int64_t deliveries = 0;  ///< how often it was given to a worker, this time too
  std::string body{};
  std::string signature{};
  std::string nonce{};             ///< that the entry tells, which is to be the signed one
  std::string nonce_entry{};       ///< the entry that this nonce came with first
  std::int64_t redis_seconds = 0;  ///< Redis's clock when it was taken
  std::string controller{};        ///< whom the entry names
};

/** The times of a queue: settings. */
struct QueueTimes {
  double lease_seconds = 10;       ///< without a sign of life a task is given to somebody else
  double blob_seconds = 3600;      ///< a blob is kept after its last use
  double result_seconds = 86'400;  ///< what nobody collects is kept
  double nonce_seconds = 86'400;   ///< a nonce is remembered: longer than tasks are good for

  /** Between two signs of life: who looks at a fleet knows no worker's lease. */
  double beat_seconds() const { return std::min(0.3 * lease_seconds, 3.0); }
};

/** The bytes of a blob, kept from now on for as long as one that is used; nothing where it is gone. Corrupt:
 * it is not what its name says. */
Result<std::optional<std::string>> read_blob(RedisConnection& connection, const QueueTimes& times,
                                             const std::string& sha256);

/** What a worker's thread does with tasks: at most one at a time is in its hands. */
class TaskQueue {
 public:
  /** @param worker who takes: its consumer's name */
  TaskQueue(RedisConnection connection, std::string worker, const QueueTimes& times)
      : connection_(std::move(connection)), worker_(std::move(worker)), times_(times) {}

  /**
   * A task of one of the streams, first one that somebody left; waits up to so many seconds for one. Those
   * whose controller is gone are dropped.
   */
  Result<std::optional<TakenTask>> take(const std::vector<std::string>& streams, double seconds);

  /** What became of it, signed; false where somebody else has the task by now: nothing is told then.
   * @param blob of the answer's artefact; empty: it has none
   * @param death why it is given up; empty: it is not */
  Result<bool> finish(const TakenTask& task, const FleetAnswer& answer, std::string_view key,
                      std::string_view blob = {}, std::string_view death = {});

  /** Somebody else can have it at once. @param counts this delivery is one of those that a task may have */
  Result<bool> hand_back(const TakenTask& task, bool counts);

  /** A sign of life of who has it; false where that is not this worker any more. */
  Result<bool> keep(const std::string& stream, const std::string& entry);

  /** As read_blob(). */
  Result<std::optional<std::string>> blob(const std::string& sha256);

  RedisConnection& connection() { return connection_; }  ///< for what else its thread asks

 private:
  Result<std::optional<TakenTask>> take_left(const std::string& stream);
  Result<std::optional<TakenTask>> wait_for_new(const std::vector<std::string>& streams, double seconds);
  Status make_group(const std::string& stream);

  RedisConnection connection_;
  TaskScripts scripts_;
  std::string worker_;
  QueueTimes times_;
};

}  // namespace kernelscape
