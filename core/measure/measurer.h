#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/space/configuration.h"
#include "core/trial/measure_options.h"
#include "core/trial/measurement.h"

namespace kernelscape {

/** A finished candidate of the batch in progress. */
struct Completed {
  std::size_t position = 0;  ///< in the submitted batch
  Measurement measurement;
};

/** Wall time since the last call during which the device, else any builder, was busy: they never overlap. */
struct BusyTimes {
  double run_seconds = 0;
  double build_seconds = 0;
};

/** What a batch looks like from outside while it is measured. */
struct BatchProgress {
  std::size_t building = 0;
  std::size_t built = 0;
  std::size_t running = 0;
  std::size_t finished = 0;
};

/**
 * Measures batches of candidates: asynchronous, one batch at a time.
 * An error of submit() or collect() is the machine's fault (disk full, compiler gone, no process can start):
 * no trial is lost, candidates without a Completed were not measured.
 */
class Measurer {
 public:
  virtual ~Measurer() = default;
  /** Begins to measure and returns; the batch before has to be collected whole or aborted. */
  virtual Status submit(std::span<const Configuration> batch) = 0;
  /** Waits up to `patience` for something to finish; empty where nothing did. */
  virtual Result<std::vector<Completed>> collect(std::chrono::milliseconds patience) = 0;
  /** Of the batch in progress, at this moment. */
  virtual BatchProgress progress() const = 0;
  /** Seconds since the last call; starts from zero again. */
  virtual BusyTimes take_busy_times() = 0;
  /** Kills what runs; unfinished candidates of the batch are dropped. */
  virtual void abort() = 0;
  /** Median of the best valid trial so far: what the relative give-up compares with. 0: none. */
  virtual void set_best_seconds(double seconds) = 0;
  /** From the next candidate on, a run ends with RUN_TIMEOUT after so many seconds, where the options allow
   * more. 0: as they say. */
  virtual void set_run_timeout(double seconds) = 0;
};

}  // namespace kernelscape
