#include "core/session/insight.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <span>

#include "core/analysis/order_statistics.h"
#include "core/measure/confirmation.h"
#include "core/measure/counting.h"
#include "core/measure/cpu/core_clock.h"
#include "core/measure/cpu/machine_limits.h"
#include "core/measure/cpu/sampler.h"
#include "core/measure/device_lease.h"
#include "core/schedule/stage_tree.h"
#include "core/session/kernels.h"
#include "core/session/preparation_parts.h"
#include "core/session/targets.h"
#include "core/trial/measure_options.h"

namespace kernelscape::session {
namespace {

constexpr int measured_samples = 7;

/** Returns true if loading the tensors takes longer than computing according to the bound of the hot loop. */
bool waits_for_memory(const PreparedTuning& prepared, const measure::KernelInsight& insight,
                      const MeasuredCycles& measured) {
  const trial::MachineLimits limits = measure::measure_machine_limits(prepared.setup.target, measured.threads,
                                                                      task::task_bytes(prepared.setup.task));
  if (!(limits.bandwidth_bytes_per_second > 0) || insight.bound() == nullptr) return false;
  const double moving_seconds = task::task_bytes(prepared.setup.task) / limits.bandwidth_bytes_per_second;
  const double loop_seconds =
      insight.bound()->cycles * insight.code.hot()->iterations / (measured.clock_hertz * measured.threads);
  const double computing_seconds = loop_seconds / measured.share_of_call;
  return moving_seconds > computing_seconds;
}

/** Counts the kernel. A failure loses the counters, not the measured cycles. */
trial::CounterReading counted_or_reason(const PreparedTuning& prepared, const trial::MeasureOptions& options,
                                        const space::Configuration& configuration) {
  auto counted =
      measure::count_configuration(*prepared.family, prepared.setup.target, options, configuration);
  if (counted && *counted) return std::move(**counted);
  trial::CounterReading none;
  if (!counted)
    none.missing.push_back({measure::samples_name, counted.error().message, counted.error().hint});
  return none;
}

}  // namespace

Result<measure::InsightRequest> insight_request_of(const store::SessionRecord& record,
                                                   const space::Configuration& configuration) {
  const kernel::ScheduleFamily kernels = TRY(session_kernels(record));
  measure::InsightRequest request;
  request.kernel = TRY(kernels.mapped_source(configuration));
  const schedule::LoweredKernel lowered = TRY(kernels.kernel().lower(configuration));
  request.stages = schedule::stage_tree(kernels.kernel(), configuration, lowered.nest);
  request.target = kernels.kernel().target();
  return request;
}

Result<MeasuredCycles> measure_cycles(const store::Store& store, store::SessionId id,
                                      const space::Configuration& configuration,
                                      const measure::KernelInsight& insight) {
  const machine_code::MachineLoop* hot = insight.code.hot();
  if (insight.source.dialect != codegen::Dialect::C || hot == nullptr || !(hot->iterations > 0)) {
    return fail(ErrorCode::Refused, fmt::format("the cycles of session {}'s kernel cannot be measured", id),
                "cycles can only be measured for CPU kernels whose hot loop and iterations are known");
  }
  const PreparedTuning prepared = TRY(prepare_stored(store, id));
  if (prepared.family == nullptr) {
    return fail(ErrorCode::Refused,
                fmt::format("session {} replays a recorded space, whose kernels do not run", id),
                "choose a session that was measured on this machine");
  }
  if (!prepared.setup.target.fleet.empty()) {
    return fail(ErrorCode::Refused,
                fmt::format("session {} was measured on a fleet, not on this machine", id),
                "choose a session that was measured on this machine");
  }
  measure::DeviceLease::Request request;
  request.device = leased_device(prepared.setup.target);
  request.holder = fmt::format("the hot loop of session {}, process {}", id, getpid());
  const measure::DeviceLease lease = TRY(measure::DeviceLease::acquire(request));
  trial::MeasureOptions options = prepared.setup.options;
  options.build_only = false;
  MeasuredCycles measured;
  measured.threads = options.kernel_threads(static_cast<int>(prepared.setup.target.cores));
  std::vector<double> clocks{measure::measure_core_clock_hertz()};
  const measure::Confirmations again = TRY(measure::measure_interleaved(
      *prepared.family, prepared.setup.target, options, std::span(&configuration, 1), measured_samples, {}, 0,
      {.with_vendor = false}));
  clocks.push_back(measure::measure_core_clock_hertz());
  if (again.configurations.empty() || !again.configurations.front().valid())
    return fail(ErrorCode::Environment, "the kernel failed when it was measured again",
                "`kernelscape show` prints the result of its trial");
  std::vector<double> samples = again.configurations.front().samples_seconds;
  measured.seconds = analysis::quartiles(samples).median;
  measured.clock_hertz = analysis::quartiles(clocks).median;
  measured.share_of_call =
      insight.map.multiply_adds > 0 ? std::min(1.0, hot->multiply_adds / insight.map.multiply_adds) : 1;
  measured.cycles =
      measured.share_of_call * measured.seconds * measured.clock_hertz * measured.threads / hot->iterations;
  measured.memory_bound = waits_for_memory(prepared, insight, measured);
  measured.counters = counted_or_reason(prepared, options, configuration);
  return measured;
}

}  // namespace kernelscape::session
