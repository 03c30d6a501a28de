#pragma once

#include <functional>
#include <optional>

#include "core/measure/interruption.h"
#include "core/measure/worker/protocol.h"
#include "core/trial/machine_speed.h"

namespace kernelscape::measure {

/**
 * Runs trials between two readings of the speed probe, which become fields of their measurements. If the
 * machine's speed changed during a valid trial, its samples have no common meaning, and the trial is run
 * again, at most twice and within the time of one run.
 */
class ProbedTrials {
 public:
  /** Takes a reading of the probe with the threads of a kernel; unknown: the device has no probe. */
  using Probe = std::function<trial::ProbeSeconds(int threads)>;
  /** Returns the seconds of a steady clock. */
  using Clock = std::function<double()>;
  using Trial = std::function<RunReply()>;

  explicit ProbedTrials(Probe probe, Clock clock = steady_seconds);

  /**
   * Runs a trial. A run that fails is returned at once; of valid ones that whose readings differ least.
   * @param threads of its kernel
   */
  RunReply run(int threads, const RunRequest& request, const Trial& trial);

  /** Takes a reading with as many threads as the last trial had. @param threads if there was no trial yet */
  trial::ProbeSeconds read(int threads);

 private:
  struct Reading {
    trial::ProbeSeconds seconds;
    double at = 0;
  };
  trial::ProbeSeconds take_reading();
  trial::ProbeSeconds recent_reading();

  Probe probe_;
  Clock clock_;
  int threads_ = 0;  ///< of the last trial; 0: none
  std::optional<Reading> last_;
};

}  // namespace kernelscape::measure
