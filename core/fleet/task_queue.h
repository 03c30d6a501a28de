#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fleet/messages.h"
#include "core/fleet/redis_connection.h"
#include "core/fleet/task_scripts.h"

namespace kernelscape::fleet {

/** A task that a worker holds until the worker finishes it, releases it, or stops sending heartbeats. */
struct TakenTask {
  std::string stream{};
  std::string entry{};          ///< id in the stream
  std::int64_t deliveries = 0;  ///< how often the task was delivered to a worker, including this time
  std::string body{};
  std::string signature{};
  std::string nonce{};             ///< nonce of the entry, which must equal the signed nonce
  std::string nonce_entry{};       ///< the first entry that had this nonce
  std::int64_t redis_seconds = 0;  ///< clock of Redis when the task was taken
  std::string controller{};        ///< the controller that the entry names
};

/** The time settings of a queue. */
struct QueueTimes {
  double lease_seconds = 10;       ///< without a heartbeat for this long, a task is given to another worker
  double blob_seconds = 3600;      ///< how long a blob is kept after its last use
  double result_seconds = 86'400;  ///< how long a result is kept that no controller collects
  double nonce_seconds = 86'400;   ///< how long a nonce is remembered: longer than the lifetime of tasks

  /**
   * Returns the interval between two heartbeats. It has an upper limit because a program that displays the
   * fleet does not know the lease of a worker.
   */
  double beat_seconds() const { return std::min(0.3 * lease_seconds, 3.0); }
};

/**
 * Returns the bytes of a blob and extends its lifetime, or nullopt if the blob is missing. Returns Corrupt if
 * the bytes do not match the name.
 */
Result<std::optional<std::string>> read_blob(RedisConnection& connection, const QueueTimes& times,
                                             const std::string& sha256);

/** The task operations of one worker thread, which holds at most one task at a time. */
class TaskQueue {
 public:
  /** Creates a queue. @param worker the consumer name of the worker */
  TaskQueue(RedisConnection connection, std::string worker, const QueueTimes& times)
      : connection_(std::move(connection)), worker_(std::move(worker)), times_(times) {}

  /**
   * Takes a task of one of the streams, starting with tasks that other workers abandoned. Waits up to
   * `seconds` for a task. Drops tasks whose controller is gone.
   */
  Result<std::optional<TakenTask>> take(const std::vector<std::string>& streams, double seconds);

  /**
   * Posts the signed result of a task. Returns false, without posting, if another worker has the task by now.
   * @param blob artefact of the answer; empty: none @param death why the task is given up; empty: it is not
   */
  Result<bool> finish(const TakenTask& task, const Answer& answer, std::string_view key,
                      std::string_view blob = {}, std::string_view death = {});

  /**
   * Releases a task, so that another worker can take it immediately. @param counts this delivery counts
   * towards the maximum number of deliveries
   */
  Result<bool> release(const TakenTask& task, bool counts);

  /** Sends a heartbeat for a task. Returns false if this worker does not hold the task any more. */
  Result<bool> keep(const std::string& stream, const std::string& entry);

  /** Reads a blob with read_blob(). */
  Result<std::optional<std::string>> blob(const std::string& sha256);

  RedisConnection& connection() { return connection_; }  ///< for other commands of the same thread

 private:
  Result<std::optional<TakenTask>> take_left(const std::string& stream);
  Result<std::optional<TakenTask>> wait_for_new(const std::vector<std::string>& streams, double seconds);
  Status make_group(const std::string& stream);

  RedisConnection connection_;
  TaskScripts scripts_;
  std::string worker_;
  QueueTimes times_;
};

}  // namespace kernelscape::fleet
