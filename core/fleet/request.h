#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/fleet/measurer.h"
#include "core/fleet/task_poster.h"
#include "core/measure/interruption.h"

namespace kernelscape::fleet {

/**
 * Sends synchronous requests to workers, one at a time, for data that is needed once; a measurer has many
 * tasks in flight. Used by one thread.
 */
class Request {
 public:
  /**
   * Opens a connection to a fleet that was reachable a moment ago: waits for its Redis. Errors: as
   * RedisConnection::open(). @param measuring must outlive the returned object @param give_up polled while
   * waiting
   */
  static Result<Request> open(const Measuring& measuring, std::function<bool()> give_up);
  Request(Request&&) = default;
  Request& operator=(Request&&) = delete;
  ~Request();

  /**
   * Posts a task to a stream and waits for its result. Sets the id and the controller of the task. Posts the
   * task again if Redis lost it. Returns nullopt if the request was stopped or took too long; the task is
   * then removed if Redis responds.
   */
  Result<std::optional<Answer>> ask(Task task, const std::string& stream, const std::function<bool()>& stop,
                                    measure::Deadline deadline = measure::Deadline::max());

  TaskPoster& poster() { return poster_; }  ///< for blobs

 private:
  Request(const Measuring& measuring, TaskPoster poster);
  Result<std::optional<Answer>> wait_for(const Task& task, const std::string& stream, std::string& entry,
                                         const std::function<bool()>& stop, measure::Deadline deadline);
  Status stay();
  Result<std::optional<Answer>> read(const std::string& task, double seconds);
  Result<bool> is_there(const std::string& stream, const std::string& entry);

  const Measuring* measuring_;
  TaskPoster poster_;
  std::string controller_;
  std::string results_;
  std::string last_ = "0";
  int asked_ = 0;
};

}  // namespace kernelscape::fleet
