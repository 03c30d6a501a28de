#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/measure/search_time.h"
#include "core/space/configuration.h"
#include "core/trial/measurement.h"

namespace kernelscape {

/** What the adaptive evaluator watches after each micro-batch. */
enum class AdaptivePerformance : std::uint8_t {
  Cumulative,  ///< the performance since the first sample (AdaTune, section 4.1)
  MicroBatch   ///< that of each micro-batch alone (AdaTune's published code)
};

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
  bool flush_caches = false;  ///< between repeats; of a GPU its L2 cache
  bool build_only = false;    ///< kernels are built and never run: error categories and resources alone
  std::uint64_t input_seed = 1;
  std::uint64_t memory_limit_bytes = 8ULL
                                     << 30;  ///< address space of a run worker beyond what the task needs
  // AdaTune's adaptive evaluator (section 4.1) ends the repeats of a trial early.
  int adaptive_batch = 0;           ///< samples of a micro-batch; 0: off
  double adaptive_threshold = 0.1;  ///< coefficient of variation below which it is over
  int adaptive_minimum = 3;         ///< micro-batches before that is asked
  AdaptivePerformance adaptive_performance = AdaptivePerformance::Cumulative;
  SearchTime search_time = {};  ///< of replays: how the tuner's own time counts

  bool adaptive() const { return adaptive_batch > 0; }
  /** What every sample lasts at least: one call where caches are flushed before it. */
  double least_sample_seconds() const { return flush_caches ? 0 : min_repeat_seconds; }
  bool operator==(const MeasureOptions&) const = default;
};

/**
 * How AdaTune's experiments measure (published code): up to 500 calls, each a sample of its own, in
 * micro-batches of 50; a run may take 100 s.
 */
inline constexpr MeasureOptions adatune_measuring{
    .repeats = 500, .min_repeat_seconds = 0, .run_timeout_seconds = 100, .adaptive_batch = 50};

/** Whether the options make sense; the error names the one that does not, and the way out. */
Status check_measure_options(const MeasureOptions& options);

std::string measure_options_to_json(const MeasureOptions& options);
/** Members that are missing stay those of `base`. Errors: no object, a wrong type, a value out of range. */
Result<MeasureOptions> measure_options_from_json(std::string_view json, const MeasureOptions& base = {});
/** The names that measuring options are stored with, but for the search time. */
std::vector<std::string> measure_option_names();
/** The members that differ from those of `base`, as JSON; the search time stays out. */
std::string measure_option_differences(const MeasureOptions& options, const MeasureOptions& base);

/** "cumulative", "micro-batch". */
std::string_view to_string(AdaptivePerformance performance);
Result<AdaptivePerformance> parse_adaptive_performance(std::string_view text);

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
