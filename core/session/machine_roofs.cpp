#include "core/session/machine_roofs.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/measure/cpu/cpu_target.h"
#include "core/measure/cpu/memory_ceilings.h"
#include "core/measure/device_lease.h"
#include "core/session/targets.h"

namespace kernelscape {
namespace {

Status check_own_processor(const TargetDescription& target) {
  if (target.kind != TargetKind::Cpu) {
    return fail(
        ErrorCode::Refused,
        fmt::format("the ceilings of {} cannot be measured: only those of processors can", target.name),
        "use the GPU vendor's profiler");
  }
  const TargetDescription here = TRY(describe_cpu_target(CompilerNeed::Optional));
  if (here.device == target.device) return {};
  return fail(
      ErrorCode::Refused,
      fmt::format("the ceilings of {} can't be measured here: this is {}", target.device, here.device),
      "measure them on that machine, with the same database");
}

}  // namespace

Result<std::optional<MachineCeilings>> stored_ceilings(const Store& store, const TargetDescription& target,
                                                       int threads) {
  const auto json = TRY(store.machine_measure(machine_key(target, threads), ceilings_kind));
  if (!json) return std::nullopt;
  return TRY(machine_ceilings_from_json(*json));
}

Result<MachineCeilings> measure_ceilings(Store& store, const TargetDescription& target, int threads,
                                         const StopRequest& stop) {
  TRY(check_own_processor(target));
  DeviceLease::Request request;
  request.device = leased_device(target);
  request.holder = fmt::format("the machine's ceilings, process {}", getpid());
  request.give_up = [&stop] { return stop.level() > 0; };
  const DeviceLease lease = TRY(DeviceLease::acquire(request));
  MachineCeilings ceilings = measure_machine_ceilings(target, threads, [&stop] { return stop.level() > 0; });
  if (stop.level() > 0) {
    return fail(ErrorCode::Refused, "the machine's ceilings were not measured: stopped by the user",
                "nothing was stored; start the measurement again");
  }
  TRY(store.save_machine_measure(machine_key(target, threads), ceilings_kind,
                                 machine_ceilings_to_json(ceilings)));
  return ceilings;
}

}  // namespace kernelscape
