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

/** Asks workers one thing after the other and waits for each answer, for what is needed once: a measurer asks
 * many at a time. Of one thread. */
class FleetQuestion {
 public:
  /** Of a fleet that was there a moment ago: its Redis is waited for. Errors: as RedisConnection::open().
   * @param measuring outlives it @param give_up asked while it is waited for */
  static Result<FleetQuestion> open(const FleetMeasuring& measuring, std::function<bool()> give_up);
  FleetQuestion(FleetQuestion&&) = default;
  FleetQuestion& operator=(FleetQuestion&&) = delete;
  ~FleetQuestion();

  /**
   * What became of a task in a stream: it gets its id and its controller here. What Redis forgot is given
   * again. Nothing: it was stopped or took too long, and the task is taken back, as far as Redis is there.
   */
  Result<std::optional<FleetAnswer>> ask(FleetTask task, const std::string& stream,
                                         const std::function<bool()>& stop,
                                         Deadline deadline = Deadline::max());

  TaskPoster& poster() { return poster_; }  ///< for blobs

 private:
  FleetQuestion(const FleetMeasuring& measuring, TaskPoster poster);
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
