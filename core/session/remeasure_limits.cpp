#include "core/session/remeasure_limits.h"

#include <algorithm>

#include "core/measure/cpu/machine_limits.h"
#include "core/measure/cpu/machine_state.h"
#include "core/session/session.h"
#include "core/session/targets.h"

namespace kernelscape::session {

trial::MachineLimits measure_session_limits(const Setup& setup) {
  return measure::measure_machine_limits(setup.target,
                                         setup.options.kernel_threads(schedule::host_cores(setup.target)),
                                         task::task_bytes(setup.task), measure::peak_kind(setup.task));
}

measure::ConfirmationMachine confirmation_machine(const Setup& setup, const trial::UsualSpeed& usual) {
  measure::ConfirmationMachine machine{.usual = usual.seconds};
  // The load of this machine's processors says nothing about a GPU.
  const bool of_cpu = leased_device(setup.target) == schedule::to_string(schedule::TargetKind::Cpu);
  if (usual.loaded && of_cpu)
    machine.loaded = [] { return measure::used_by_others(measure::read_machine_state()); };
  const bool quick = setup.target.kind == schedule::TargetKind::Cpu && measure::peak_kind(setup.task);
  if (quick) machine.limits = [&setup] { return measure_session_limits(setup); };
  return machine;
}

void add_machine(trial::Baselines& baselines, const measure::Confirmations& measured,
                 const std::string& measured_utc) {
  if (!measured.probe.known()) return;
  baselines.confirmation_speeds.push_back({.measured_utc = measured_utc,
                                           .probe = measured.probe,
                                           .slow = measured.slow,
                                           .peak_gflops = measured.limits.peak_gflops,
                                           .byte_peak_gflops = measured.limits.byte_peak_gflops,
                                           .machine_share = measured.machine_share,
                                           .loaded = measured.loaded});
  if (!measured.slow) baselines.limits = trial::larger_limits(baselines.limits, measured.limits);
}

trial::MachineLimits remeasure_limits(const trial::MachineLimits& known, const task::Task& task,
                                      std::span<const trial::Measurement> confirmed,
                                      const LimitMeter& measure) {
  const measure::SpeedLimit limit = measure::speed_limit(known, task);
  if (!measure || limit.gflops <= 0) return known;
  const double min_seconds = task.flops() / (limit.gflops * 1e9);
  const bool beaten = std::ranges::any_of(confirmed, [&](const trial::Measurement& measurement) {
    return measurement.valid() && measurement.median_seconds() < min_seconds;
  });
  if (!beaten) return known;
  return trial::larger_limits(known, measure());
}

}  // namespace kernelscape::session
