#include "core/measure/limits_in_worker.h"

#include "core/measure/gpu/gpu_limits.h"
#include "core/measure/worker_process.h"

namespace kernelscape::measure {

trial::MachineLimits measure_gpu_limits_in_worker(const schedule::TargetDescription& target,
                                                  double working_set_bytes,
                                                  const Interruption& interruption) {
  constexpr double answer_seconds = 120;  // for a slow compiler and a slow device
  auto worker = WorkerProcess::start(WorkerRole::Baseline);
  if (!worker || !worker->await_ready(interruption)) return {};
  const LimitsRequest request{.target_json = schedule::target_to_json(target),
                              .working_set_bytes = working_set_bytes};
  const Deadline deadline = deadline_after(answer_seconds);
  if (!worker->channel().send(request, deadline, interruption)) return {};
  const auto reply = worker->channel().receive<LimitsReply>(deadline, interruption);
  if (!reply || !reply->problem.empty()) return {};
  const LimitKernels kernels = make_limit_kernels(target, working_set_bytes);
  return {.peak_gflops = reply->peak_gflops,
          .bandwidth_bytes_per_second = reply->bandwidth_bytes_per_second,
          .working_set_bytes = static_cast<double>(kernels.read.input_bytes)};
}

}  // namespace kernelscape::measure
