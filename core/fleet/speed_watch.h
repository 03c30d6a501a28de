#pragma once

#include <cstdint>
#include <map>

#include "core/base/result.h"
#include "core/fleet/task_executor.h"
#include "core/measure/slow_phase_wait.h"
#include "core/trial/measurement.h"

namespace kernelscape::fleet {

/**
 * Knows from the readings around a worker's runs whether its machine is slower than usual, and waits for it.
 * The usual speed is that of all runs of this worker with the same number of threads, also of other sessions.
 */
class SpeedWatch {
 public:
  /**
   * @param max_rows trials after which a track begins again with the same usual times, so that the memory of
   * a worker that serves for weeks is limited; ten times as many in a slow phase
   */
  explicit SpeedWatch(std::int64_t max_rows = 10'000) : max_rows_(max_rows) {}

  /**
   * Adds the readings around a run.
   * @param threads of the kernel @param patience_seconds maximum time of all waits in a slow phase
   */
  void add(std::int32_t threads, double patience_seconds, const trial::Measurement& measurement);
  /** Returns the state of the machine as the latest run with readings shows it. */
  MachinePace pace() const;
  /**
   * Waits until the machine is as fast as usual or the patience for its slow phase is used up.
   * @return false if it was interrupted
   */
  Result<bool> wait(const measure::WaitingMachine& machine);

 private:
  std::int64_t max_rows_;
  std::map<std::int32_t, measure::SlowPhaseWait> waits_;  ///< by number of threads
  std::int32_t latest_ = 0;                               ///< threads of the latest run; 0: there was none
};

}  // namespace kernelscape::fleet
