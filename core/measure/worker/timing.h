#pragma once

#include <cstdint>
#include <functional>

#include "core/measure/measurer.h"
#include "core/measure/worker/run_queue_delay.h"
#include "core/trial/measurement.h"

namespace kernelscape::measure {

/**
 * The functions that the timing procedure calls: those of a kernel, of the vendor's library, or of a test
 * stand-in with a simulated clock.
 */
struct TimedKernel {
  std::function<double(std::int64_t calls)> run;  ///< returns the seconds of a region of this many calls
  std::function<void()> watch;     ///< starts to watch for lost time; may be empty together with `lost`: then
                                   ///< nothing counts as a disturbance
  std::function<LostTime()> lost;  ///< returns the time that the kernel's threads lost since watch()
  std::function<void()> flush_caches;  ///< may be empty
  /** Length of the regions of a sample, in which interruptions are noticed; 0: a sample is one region, and
   * interruptions are not looked for. */
  double region_seconds = 0;
  /**
   * Returns the joules that were consumed since a fixed time, or NaN; empty: energy is not measured. It is
   * read before and after all samples.
   */
  std::function<double()> joules = {};
  double min_joules_seconds = 0;  ///< shortest time of all samples over which the energy is exact enough
  /**
   * Returns the CPU time that the kernel's threads have used so far, by which interruptions of long calls are
   * noticed; may be empty.
   */
  std::function<double()> processor_seconds = {};
  /** Maximum number of calls of a region. It is lower if a call costs more time than its measured seconds. */
  std::int64_t max_calls = 1'000'000'000;
};

/**
 * Returns the number of calls that a region may have if each of them needs this time for restoring data:
 * restoring takes at most eight times the minimum time of a repeat in all; at least one call.
 */
std::int64_t calls_within_restoring(double restore_seconds, const trial::MeasureOptions& options);

/**
 * Times a kernel: warm-up calls, then repeats. Each repeat has regions of at least min_repeat_seconds in all,
 * one of exactly calls_per_sample calls if these are set, or one of one call if caches are flushed before
 * each repeat. A repeat that lost time (LostTime::disturbs) or was interrupted (Interruptions) is taken
 * again, at most `repeats` times in all, also if only later repeats show that it was interrupted. If the
 * first sample exceeds give_up_factor x best_seconds (0: no best yet), no further sample is taken, and no
 * sample counts as saved. An AdaptiveEvaluator may end the repeats. Members of the Measurement that a timing
 * does not determine stay empty. The energy of a call is the energy of all samples by all their calls,
 * repeated samples included; it is left out if caches are flushed between the samples, since flushing
 * consumes energy too.
 */
trial::Measurement time_kernel(const TimedKernel& kernel, const trial::MeasureOptions& options,
                               double best_seconds);

}  // namespace kernelscape::measure
