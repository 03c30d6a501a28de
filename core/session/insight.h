#pragma once

#include "core/base/result.h"
#include "core/measure/kernel_insight.h"
#include "core/store/store.h"
#include "core/trial/counter_reading.h"

namespace kernelscape::session {

/**
 * Returns the argument of kernel_insight() for a configuration of a stored session: its kernel with line
 * numbers, its stages, and the target it was built for. Errors: as session_kernels().
 */
Result<measure::InsightRequest> insight_request_of(const store::SessionRecord& record,
                                                   const space::Configuration& configuration);

/** Measured cycles of a hot loop, to compare with its bounds. */
struct MeasuredCycles {
  double seconds = 0;      ///< median time of one call of the kernel
  double clock_hertz = 0;  ///< of a core: the median of the clocks just before and after the measurement
  int threads = 1;
  double cycles = 0;          ///< per iteration on one core
  double share_of_call = 1;   ///< share of the kernel's multiply-adds that the hot loop does
  bool memory_bound = false;  ///< loading the tensors from memory takes longer than the bound
  /// counters and samples of further calls; if counting failed, `missing` has the reason
  trial::CounterReading counters{};
};

/**
 * Measures a trial of a session again on this machine, with the core clock before and after, and divides its
 * time by the iterations of its hot loop. Assumes that the loop's share of the time equals its share of the
 * multiply-adds, so that other loops are equally fast. Then counts and samples the kernel in further calls.
 * Takes the device's lease and some seconds, more if a call is long; stores nothing. Errors: facts that
 * `kernel_insight` did not find, another machine, faults of the machine.
 */
Result<MeasuredCycles> measure_cycles(const store::Store& store, store::SessionId id,
                                      const space::Configuration& configuration,
                                      const measure::KernelInsight& insight);

}  // namespace kernelscape::session
