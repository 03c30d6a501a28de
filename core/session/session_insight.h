#pragma once

#include "core/base/result.h"
#include "core/measure/kernel_insight.h"
#include "core/store/store.h"

namespace kernelscape {

/**
 * What kernel_insight() takes for a configuration of a stored session: its kernel with lines, its stages, and
 * the target it was built for. Errors: as session_kernels().
 */
Result<InsightRequest> insight_request_of(const SessionRecord& record, const Configuration& configuration);

/** Cycles of a hot loop as they were measured, beside what bounds it. */
struct MeasuredCycles {
  double seconds = 0;      ///< of one call of the kernel, the median
  double clock_hertz = 0;  ///< of a core: the median of those just before and after
  int threads = 1;
  double cycles = 0;          ///< of one iteration on one core
  double share_of_call = 1;   ///< of the kernel's multiply-adds that the hot loop does
  bool memory_bound = false;  ///< the tensors take longer to come from memory than the bound
};

/**
 * Measures a trial of a session again on this machine, with the clock of its cores before and after, and
 * divides its time by the iterations of its hot loop. The loop's share of the time is taken to be that of the
 * multiply-adds: other loops count as as fast. Takes the device's lease, and a second or two; nothing is
 * stored. Errors: what `kernel_insight` did not find, another machine, the machine's faults.
 */
Result<MeasuredCycles> measure_cycles(const Store& store, SessionId id, const Configuration& configuration,
                                      const KernelInsight& insight);

}  // namespace kernelscape
