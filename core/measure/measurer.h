#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/search_time.h"
#include "core/space/configuration.h"
#include "core/trial/measurement.h"

namespace kernelscape {

/** How trials are measured: settings, stored with the session. */
struct MeasureOptions {
  int threads = 0;   ///< of the kernel; 0: all cores
  int builders = 0;  ///< build workers; 0: one per core
  int warmups = 1;
  int repeats = 7;
  double min_repeat_seconds = 0.020;  ///< each repeat is a timed region of at least this
  double build_timeout_seconds = 10;
  double run_timeout_seconds = 10;
  double give_up_factor = 5;  ///< first sample over this x the best's median ends the trial; 0: never
  bool flush_caches = false;  ///< between repeats
  std::uint64_t input_seed = 1;
  std::uint64_t memory_limit_bytes = 8ULL
                                     << 30;  ///< address space of a run worker beyond what the task needs
  // AdaTune's adaptive evaluator; batch 0: off.
  int adaptive_batch = 0;
  double adaptive_threshold = 0.1;
  int adaptive_minimum = 3;
  SearchTime search_time = {};  ///< of replays: how the tuner's own time counts

  bool operator==(const MeasureOptions&) const = default;
};

std::string measure_options_to_json(const MeasureOptions& options);
Result<MeasureOptions> measure_options_from_json(std::string_view json);

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
  virtual Status submit(std::span<const Configuration> batch) = 0;
  /** Waits up to `patience` for something to finish; empty where nothing did. */
  virtual Result<std::vector<Completed>> collect(std::chrono::milliseconds patience) = 0;
  virtual BatchProgress progress() const = 0;
  virtual BusyTimes take_busy_times() = 0;
  /** Kills what runs; unfinished candidates of the batch are dropped. */
  virtual void abort() = 0;
  /** Median of the best valid trial so far: what the relative give-up compares with. 0: none. */
  virtual void set_best_seconds(double seconds) = 0;
};

}  // namespace kernelscape
