#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/trial/search_time.h"

namespace kernelscape::trial {

/** The performance that the adaptive evaluator checks after each micro-batch. */
enum class AdaptivePerformance : std::uint8_t {
  Cumulative,  ///< the performance since the first sample (AdaTune, section 4.1)
  MicroBatch   ///< the performance of each micro-batch alone (AdaTune's published code)
};

/** When a batch's results become known; proposals never depend on it. */
enum class BatchClock : std::uint8_t {
  Batches,  ///< older sessions: the whole batch is built, then run
  Waves     ///< in waves as large as the number of builders: each wave is built, then run
};

constexpr std::int32_t max_repeats = 100'000;  ///< capacity of the sample buffer of a worker
constexpr std::int32_t max_calls_per_sample = 1'000'000;

/** Measurement settings of trials, stored with the session. */
struct MeasureOptions {
  int threads = 0;   ///< threads of the kernel; 0: all cores
  int builders = 0;  ///< build workers; 0: one per core
  int warmups = 1;
  int repeats = 7;
  double min_repeat_seconds = 0.020;  ///< minimum time of the timed region of each repeat
  /// calls in the timed region of each repeat; 0: as many as fill min_repeat_seconds
  int calls_per_sample = 0;
  double build_timeout_seconds = 10;
  double run_timeout_seconds = 10;
  /// a first sample above this factor times the best median ends the trial; 0: never
  double give_up_factor = 5;
  bool flush_caches = false;  ///< between repeats; on a GPU its L2 cache
  bool build_only = false;    ///< kernels are built and never run: only error categories and resources
  /// how long all waits for a slow machine may take in each slow phase, before its kernels are run anyway
  double slow_phase_patience_seconds = 30;
  /// on a CPU: configurations that violate a template's limits are also built and run
  bool beyond_limits = false;
  std::uint64_t input_seed = 1;
  /// address space of a run worker, in addition to what the task needs
  std::uint64_t memory_limit_bytes = 8ULL << 30;
  // AdaTune's adaptive evaluator (section 4.1) ends the repeats of a trial early.
  /// calls of a micro-batch if calls are counted, otherwise samples; 0: off
  int adaptive_batch = 0;
  double adaptive_threshold = 0.1;  ///< coefficient of variation below which the trial ends
  int adaptive_minimum = 3;         ///< micro-batches before the threshold is checked
  AdaptivePerformance adaptive_performance = AdaptivePerformance::Cumulative;
  /** For replays: only the recorded samples are used that repeats, give-up factor and evaluator request. */
  bool replay_samples = false;
  SearchTime search_time = {};  ///< for replays: how the tuner's own time counts
  /// not a user option: a session that began in batches also ends in batches
  BatchClock clock = BatchClock::Waves;

  /// true if AdaTune's evaluator may end the repeats early
  bool adaptive() const { return adaptive_batch > 0; }
  /** Returns the number of samples of a micro-batch, which ends with a complete sample. */
  int micro_batch_samples() const {
    const int calls = std::max(1, calls_per_sample);
    return adaptive_batch / calls + (adaptive_batch % calls > 0 ? 1 : 0);
  }
  /**
   * Returns the number of threads of a kernel and of a reference.
   * @param cores cores of this machine's CPU: host_cores()
   */
  int kernel_threads(int cores) const { return threads > 0 ? std::min(threads, 4096) : cores; }
  /**
   * Returns the minimum time of a sample; 0 if calls_per_sample is set, or if caches are flushed, where a
   * sample is one call.
   */
  double min_sample_seconds() const { return flush_caches || calls_per_sample > 0 ? 0 : min_repeat_seconds; }
  bool operator==(const MeasureOptions&) const = default;
};

/**
 * The measurement options of AdaTune's experiments (published code): up to 500 calls, each its own sample, in
 * micro-batches of 50; a run may take 100 s.
 */
inline constexpr MeasureOptions adatune_measuring{
    .repeats = 500, .min_repeat_seconds = 0, .run_timeout_seconds = 100, .adaptive_batch = 50};

/** Returns an error if the options are invalid; it names the invalid option and says what to do. */
Status check_measure_options(const MeasureOptions& options);

/** Returns JSON with every option by its stored name; read back by `measure_options_from_json`. */
std::string measure_options_to_json(const MeasureOptions& options);
/**
 * Reads options from JSON; missing members keep the values of `base`. Errors: no object, a wrong type, a
 * value out of range.
 */
Result<MeasureOptions> measure_options_from_json(std::string_view json, const MeasureOptions& base = {});
/**
 * Reads the options of a stored session or recording; those from before waves existed have no member for the
 * clock.
 */
Result<MeasureOptions> stored_measure_options(std::string_view json);
/** Returns the names with which measuring options are stored, except for search time and clock. */
std::vector<std::string> measure_option_names();
/** Returns the members that differ from those of `base` as JSON, without search time and clock. */
std::string measure_option_differences(const MeasureOptions& options, const MeasureOptions& base);

/** Returns "cumulative" or "micro-batch". */
std::string_view to_string(AdaptivePerformance performance);
/** The inverse of `to_string`. Errors: InvalidArgument, with the nearest name. */
Result<AdaptivePerformance> parse_adaptive_performance(std::string_view text);

/** Returns "batches" or "waves". */
std::string_view to_string(BatchClock clock);
/** The inverse of `to_string`. Errors: InvalidArgument, with the nearest name. */
Result<BatchClock> parse_batch_clock(std::string_view text);

}  // namespace kernelscape::trial
