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
 *
 * Readings take at most 3 % of the time of all runs, or one reading per second if that is more. Trials that
 * are too short to pay for their own readings share one: the reading before them is an earlier one, and the
 * reading after them is unknown. The readings of a trial that is run again are taken in any case; later
 * trials make up for them.
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
    int threads = 0;
    double at = 0;
    double cost_seconds = 0;  ///< wall time, with the start of threads
  };
  RunReply run_steadily(const RunRequest& request, const Trial& trial);
  trial::ProbeSeconds take_reading();
  trial::ProbeSeconds reading_before();
  bool may_read() const;

  Probe probe_;
  Clock clock_;
  int threads_ = 0;  ///< of the last trial; 0: none
  std::optional<Reading> last_;
  double run_begin_ = 0;      ///< of the present run
  double run_seconds_ = 0;    ///< of earlier runs, with their readings
  double probe_seconds_ = 0;  ///< of all readings around trials
};

}  // namespace kernelscape::measure
