#include "core/schedule/kernel_traffic.h"

#include "core/schedule/lower.h"

namespace kernelscape::schedule {

Result<loop_nest::TrafficEstimate> estimate_kernel_traffic(const ScheduledKernel& kernel,
                                                           const space::Configuration& configuration,
                                                           int threads) {
  const TargetDescription& target = kernel.target();
  if (target.kind != TargetKind::Cpu) {
    return fail(ErrorCode::Refused,
                "the traffic of a GPU kernel cannot be estimated: the estimate models a processor's caches",
                "use the GPU's own profiler");
  }
  if (!kernel.space().contains(configuration))
    return fail(ErrorCode::InvalidArgument,
                "the configuration is not a feasible configuration of the search space");
  if (!kernel.within_limits(configuration))
    return fail(ErrorCode::Refused, "the configuration violates the target's limits: there is no kernel");
  // The passes change the form of the loops, not their accesses.
  return loop_nest::estimate_traffic(lower(kernel.schedule(), configuration, target),
                                     {.l1_bytes = target.l1_bytes,
                                      .l2_bytes = target.l2_bytes,
                                      .l3_bytes = target.l3_bytes,
                                      .threads = threads});
}

}  // namespace kernelscape::schedule
