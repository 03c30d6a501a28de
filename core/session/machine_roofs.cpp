#include "core/session/machine_roofs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "core/analysis/best_result.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/cpu/memory_ceilings.h"
#include "core/measure/device_lease.h"
#include "core/measure/worker/speed_probe.h"
#include "core/session/targets.h"
#include "core/session/usual_speed.h"

namespace kernelscape::session {
namespace {

Status check_own_processor(const schedule::TargetDescription& target) {
  if (target.kind != schedule::TargetKind::Cpu) {
    return fail(
        ErrorCode::Refused,
        fmt::format("the ceilings of {} cannot be measured: only those of processors can", target.name),
        "use the GPU vendor's profiler");
  }
  const schedule::TargetDescription here = TRY(measure::describe_cpu_target(measure::CompilerNeed::Optional));
  if (here.device == target.device) return {};
  return fail(
      ErrorCode::Refused,
      fmt::format("the ceilings of {} can't be measured here: this is {}", target.device, here.device),
      "measure them on that machine, with the same database");
}

/** Returns the mean of several readings, since a single one says little. */
trial::ProbeSeconds mean_reading(measure::SpeedProbe& probe, int threads) {
  constexpr int readings = 8;
  trial::ProbeSeconds mean;
  for (int i = 0; i < readings; ++i) {
    const trial::ProbeSeconds reading = probe.measure(threads);
    if (!reading.known()) return {};
    mean.compute += reading.compute / readings;
    mean.memory += reading.memory / readings;
  }
  return mean;
}

/** Marks ceilings that were measured while the machine was slower than in its earlier sessions. */
Status mark_slow_machine(const store::Store& store, const std::string& machine,
                         const trial::ProbeSeconds& probe, trial::MachineCeilings& ceilings) {
  const trial::UsualSpeed usual = TRY(stored_usual_speed(store, machine));
  const trial::MachineSpeed speed = trial::relative_speed(probe, usual.seconds);
  if (!speed.slower_than_usual()) return {};
  ceilings.notices.push_back(
      fmt::format("they were measured at {}, so kernels may exceed them; measure them again when the machine "
                  "is quiet",
                  analysis::machine_share_text(speed.lowest())));
  return {};
}

}  // namespace

Result<std::optional<trial::MachineCeilings>> stored_ceilings(const store::Store& store,
                                                              const schedule::TargetDescription& target,
                                                              int threads) {
  const auto json =
      TRY(store.machines().measure(measure::machine_key(target, threads), measure::ceilings_kind));
  if (!json) return std::nullopt;
  return TRY(trial::machine_ceilings_from_json(*json));
}

Result<trial::MachineCeilings> measure_ceilings(store::Store& store,
                                                const schedule::TargetDescription& target, int threads,
                                                const StopRequest& stop) {
  TRY(check_own_processor(target));
  measure::DeviceLease::Request request;
  request.device = leased_device(target);
  request.holder = fmt::format("the machine's ceilings, process {}", getpid());
  request.give_up = [&stop] { return stop.level() > 0; };
  const measure::DeviceLease lease = TRY(measure::DeviceLease::acquire(request));
  measure::SpeedProbe probe;
  const trial::ProbeSeconds before = mean_reading(probe, threads);
  trial::MachineCeilings ceilings =
      measure::measure_machine_ceilings(target, threads, [&stop] { return stop.level() > 0; });
  if (stop.level() > 0) {
    return fail(ErrorCode::Refused, "the machine's ceilings were not measured: stopped by the user",
                "nothing was stored; start the measurement again");
  }
  const trial::ProbeSeconds after = mean_reading(probe, threads);
  const trial::ProbeSeconds slower{std::max(before.compute, after.compute),
                                   std::max(before.memory, after.memory)};
  TRY(mark_slow_machine(store, measure::machine_key(target, threads), slower, ceilings));
  TRY(store.machines().save_measure(measure::machine_key(target, threads), measure::ceilings_kind,
                                    trial::machine_ceilings_to_json(ceilings)));
  return ceilings;
}

}  // namespace kernelscape::session
