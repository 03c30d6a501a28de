#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/trial/search_time.h"

namespace kernelscape {

/** What the adaptive evaluator watches after each micro-batch. */
enum class AdaptivePerformance : std::uint8_t {
  Cumulative,  ///< the performance since the first sample (AdaTune, section 4.1)
  MicroBatch   ///< that of each micro-batch alone (AdaTune's published code)
};

/** When a batch's results are known: proposals never depend on it. */
enum class BatchClock : std::uint8_t {
  Batches,  ///< sessions of before: a batch is built whole, then run
  Waves     ///< in waves of the number of builders: each is built, then run
};

constexpr std::int32_t max_repeats = 100'000;  ///< whose samples a worker has room for
constexpr std::int32_t max_calls_per_sample = 1'000'000;

/** How trials are measured: settings, stored with the session. */
struct MeasureOptions {
  int threads = 0;   ///< of the kernel; 0: all cores
  int builders = 0;  ///< build workers; 0: one per core
  int warmups = 1;
  int repeats = 7;
  double min_repeat_seconds = 0.020;  ///< each repeat is a timed region of at least this
  int calls_per_sample = 0;  ///< each repeat is one region of exactly so many calls; 0: as long as it takes
  double build_timeout_seconds = 10;
  double run_timeout_seconds = 10;
  double give_up_factor = 5;   ///< first sample over this x the best's median ends the trial; 0: never
  bool flush_caches = false;   ///< between repeats; of a GPU its L2 cache
  bool build_only = false;     ///< kernels are built and never run: error categories and resources alone
  bool beyond_limits = false;  ///< on a CPU: what a template's limits refuse is built and run all the same
  std::uint64_t input_seed = 1;
  std::uint64_t memory_limit_bytes = 8ULL
                                     << 30;  ///< address space of a run worker beyond what the task needs
  // AdaTune's adaptive evaluator (section 4.1) ends the repeats of a trial early.
  int adaptive_batch = 0;           ///< calls of a micro-batch where they are counted, else samples; 0: off
  double adaptive_threshold = 0.1;  ///< coefficient of variation below which it is over
  int adaptive_minimum = 3;         ///< micro-batches before that is asked
  AdaptivePerformance adaptive_performance = AdaptivePerformance::Cumulative;
  /** Of replays: of the recorded samples only those are taken that repeats, give-up and evaluator ask for. */
  bool replay_samples = false;
  SearchTime search_time = {};           ///< of replays: how the tuner's own time counts
  BatchClock clock = BatchClock::Waves;  ///< no option of the user's: what began in batches ends so

  bool adaptive() const { return adaptive_batch > 0; }  ///< AdaTune's evaluator may end the repeats early
  /** Samples of a micro-batch, which is over with a sample. */
  int micro_batch_samples() const {
    const int calls = std::max(1, calls_per_sample);
    return adaptive_batch / calls + (adaptive_batch % calls > 0 ? 1 : 0);
  }
  /** Threads of a kernel, and of a reference. @param cores of this machine's CPU: host_cores() */
  int kernel_threads(int cores) const { return threads > 0 ? std::min(threads, 4096) : cores; }
  /** What every sample lasts at least: one call where caches are flushed before it. */
  double least_sample_seconds() const {
    return flush_caches || calls_per_sample > 0 ? 0 : min_repeat_seconds;
  }
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

/** Every option by its stored name, as `measure_options_from_json` reads it. */
std::string measure_options_to_json(const MeasureOptions& options);
/** Members that are missing stay those of `base`. Errors: no object, a wrong type, a value out of range. */
Result<MeasureOptions> measure_options_from_json(std::string_view json, const MeasureOptions& base = {});
/** The options of a stored session or recording: those of before waves say nothing of the clock. */
Result<MeasureOptions> stored_measure_options(std::string_view json);
/** The names that measuring options are stored with, but for the search time and the clock. */
std::vector<std::string> measure_option_names();
/** The members that differ from those of `base`, as JSON; search time and clock stay out. */
std::string measure_option_differences(const MeasureOptions& options, const MeasureOptions& base);

/** "cumulative", "micro-batch". */
std::string_view to_string(AdaptivePerformance performance);
/** The inverse of `to_string`. Errors: InvalidArgument, with the nearest name. */
Result<AdaptivePerformance> parse_adaptive_performance(std::string_view text);

/** "batches", "waves". */
std::string_view to_string(BatchClock clock);
/** The inverse of `to_string`. Errors: InvalidArgument, with the nearest name. */
Result<BatchClock> parse_batch_clock(std::string_view text);

}  // namespace kernelscape
