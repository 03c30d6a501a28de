#pragma once

#include <cstdint>
#include <functional>

#include "core/measure/measurer.h"
#include "core/measure/worker/run_queue_delay.h"
#include "core/trial/measurement.h"

namespace kernelscape {

/** What the timing procedure drives: a kernel, the vendor's library, or a test's stand-in with a clock of its
 * own. */
struct TimedKernel {
  std::function<double(std::int64_t calls)> run;  ///< seconds of a region of this many calls
  std::function<void()> watch;         ///< from here on; may be empty, and lost with it: nothing disturbs it
  std::function<LostTime()> lost;      ///< by the kernel's threads since watch()
  std::function<void()> flush_caches;  ///< may be empty
  /** Of a region: where each call costs more than its seconds say, fewer may have to do. */
  std::int64_t most_calls = 1'000'000'000;
};

/** How many calls a region may have whose restoring takes so long each: eight times a repeat's least time in
 * all, at least one. */
std::int64_t calls_within_restoring(double restore_seconds, const MeasureOptions& options);

/**
 * Warm-up calls, then repeats: each a region of at least min_repeat_seconds, of exactly calls_per_sample
 * calls where these are set, or of one call where caches are flushed before each repeat. A repeat that lost
 * time (LostTime::disturbs) is taken again, at most `repeats` times in all. A first sample over
 * give_up_factor x best_seconds (0: no best yet) is the only one, and none counts as saved then. An
 * AdaptiveEvaluator may end the repeats. What a timing does not know of a Measurement stays empty.
 */
Measurement time_kernel(const TimedKernel& kernel, const MeasureOptions& options, double best_seconds);

}  // namespace kernelscape
