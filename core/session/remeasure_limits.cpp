#include "core/session/remeasure_limits.h"

#include <algorithm>

#include "core/measure/cpu/machine_limits.h"
#include "core/session/session.h"

namespace kernelscape {

MachineLimits measure_session_limits(const SessionSetup& setup) {
  return measure_machine_limits(setup.target, setup.options.kernel_threads(host_cores(setup.target)),
                                task_bytes(setup.task), peak_kind(setup.task));
}

MachineLimits remeasure_limits(const MachineLimits& known, const Task& task,
                               std::span<const Measurement> confirmed, const LimitMeter& measure) {
  const SpeedLimit limit = speed_limit(known, task);
  if (!measure || limit.gflops <= 0) return known;
  const double min_seconds = task.flops() / (limit.gflops * 1e9);
  const bool beaten = std::ranges::any_of(confirmed, [&](const Measurement& measurement) {
    return measurement.valid() && measurement.median_seconds() < min_seconds;
  });
  if (!beaten) return known;
  const MachineLimits again = measure();
  MachineLimits larger = known;
  larger.peak_gflops = std::max(known.peak_gflops, again.peak_gflops);
  larger.byte_peak_gflops = std::max(known.byte_peak_gflops, again.byte_peak_gflops);
  larger.bandwidth_bytes_per_second =
      std::max(known.bandwidth_bytes_per_second, again.bandwidth_bytes_per_second);
  return larger;
}

}  // namespace kernelscape
