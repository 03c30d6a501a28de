#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/fleet/fleet_measurer.h"
#include "core/fleet/task_poster.h"
#include "core/measure/interruption.h"

namespace kernelscape {

/**
 * Sends synchronous requests to workers, one at a time, for data that is needed once; a measurer has many
 * tasks in flight. Used by one thread.
 */
class FleetRequest {
 public:
  /**
   * Opens a connection to a fleet that was reachable a moment ago: waits for its Redis. Errors: as
   * RedisConnection::open(). @param measuring must outlive the returned object @param give_up polled while
   * waiting
   */
  static Result<FleetRequest> open(const FleetMeasuring& measuring, std::function<bool()> give_up);
  FleetRequest(FleetRequest&&) = default;
  FleetRequest& operator=(FleetRequest&&) = delete;
  ~FleetRequest();

  /**
   * Posts a task to a stream and waits for its result. Sets the id and the controller of the task. Posts the
   * task again if Redis lost it. Returns nullopt if the request was stopped or took too long; the task is
   * then removed if Redis responds.
   */
  Result<std::optional<FleetAnswer>> ask(FleetTask task, const std::string& stream,
                                         const std::function<bool()>& stop,
                                         Deadline deadline = Deadline::max());

  TaskPoster& poster() { return poster_; }  ///< for blobs

 private:
  FleetRequest(const FleetMeasuring& measuring, TaskPoster poster);
  Result<std::optional<FleetAnswer>> wait_for(const FleetTask& task, const std::string& stream,
                                              std::string& entry, const std::function<bool()>& stop,
                                              Deadline deadline);
  Status stay();
  Result<std::optional<FleetAnswer>> read(const std::string& task, double seconds);
  Result<bool> is_there(const std::string& stream, const std::string& entry);

  const FleetMeasuring* measuring_;
  TaskPoster poster_;
  std::string controller_;
  std::string results_;
  std::string last_ = "0";
  int asked_ = 0;
};

}  // namespace kernelscape
