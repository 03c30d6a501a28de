#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/machine_conditions.h"
#include "core/space/configuration.h"
#include "core/trial/machine_speed.h"
#include "core/trial/measure_options.h"
#include "core/trial/measurement.h"

namespace kernelscape::measure {

/** A finished candidate of the batch in progress. */
struct Completed {
  std::size_t position = 0;  ///< position in the submitted batch
  trial::Measurement measurement;
  MachineConditions conditions{};  ///< of a fleet's worker after the run; not known: it did not report any
};

/**
 * Wall time since the last call during which the device was busy, during which only builders were busy, and
 * during which both waited for a machine that is slower than usual: the three never overlap.
 */
struct BusyTimes {
  double run_seconds = 0;
  double build_seconds = 0;
  double waiting_seconds = 0;
};

/** The progress of a batch while it is measured. */
struct BatchProgress {
  std::size_t building = 0;
  std::size_t built = 0;
  std::size_t running = 0;
  std::size_t finished = 0;
  bool waiting = false;         ///< for a machine that is slower than usual
  trial::MachineSpeed speed{};  ///< of the machine now; unknown: it has no speed probe
  GpuConditions gpu{};          ///< after the last run
};

/**
 * Measures batches of candidates asynchronously, one batch at a time. An error of submit() or collect() is
 * the machine's fault (disk full, compiler gone, no process can start): no trial is lost, and candidates
 * without a Completed were not measured.
 */
class Measurer {
 public:
  virtual ~Measurer() = default;
  /**
   * Begins to measure a batch and returns. The previous batch must have been collected completely or aborted.
   */
  virtual Status submit(std::span<const space::Configuration> batch) = 0;
  /** Waits up to `patience` for candidates to finish; returns an empty list if none did. */
  virtual Result<std::vector<Completed>> collect(std::chrono::milliseconds patience) = 0;
  /** Returns the present progress of the batch. */
  virtual BatchProgress progress() const = 0;
  /** Returns the busy times since the last call, and restarts from zero. */
  virtual BusyTimes take_busy_times() = 0;
  /**
   * Begins no further candidate of the batch, so that progress().running falls to 0 as candidates finish.
   * Returns false if the measurer does not support this: it begins a candidate whenever another one ends.
   */
  virtual bool hold_back() { return false; }
  /** Kills running builds and runs; unfinished candidates of the batch are dropped. */
  virtual void abort() = 0;
  /**
   * Sets the median time of the best valid trial so far, which the relative give-up compares with. 0: none.
   */
  virtual void set_best_seconds(double seconds) = 0;
  /**
   * Sets a run time-out from the next candidate on: a run ends with RUN_TIMEOUT after this many seconds, if
   * the options allow more. 0: the time-out of the options.
   */
  virtual void set_run_timeout(double seconds) = 0;
  /**
   * Takes readings of the speed probe and returns their medians; nullopt if the device has no probe or the
   * request was interrupted. Called before the first batch.
   */
  virtual Result<std::optional<trial::ProbeSeconds>> probe_speed(const std::function<bool()>& /*stop*/) {
    return std::nullopt;
  }
  /** Returns why probe_speed() found no speed probe, for the user; empty if no reason is known. */
  virtual std::string probe_problem() const { return {}; }
  /** Returns what the user should know about the trials since the last call, one sentence each. */
  virtual std::vector<std::string> take_notices() { return {}; }
  /** Sets the times of the speed probe at the machine's usual speed, before the first batch. */
  virtual void set_usual_probe(const trial::ProbeSeconds& /*usual*/) {}
};

}  // namespace kernelscape::measure
