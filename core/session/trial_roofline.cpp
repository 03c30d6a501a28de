#include "core/session/trial_roofline.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/measure/counting.h"
#include "core/measure/cpu/machine_limits.h"
#include "core/measure/device_lease.h"
#include "core/schedule/kernel_traffic.h"
#include "core/session/machine_roofs.h"
#include "core/session/preparation_parts.h"
#include "core/session/session_kernels.h"
#include "core/trial/measure_options.h"

namespace kernelscape {
namespace {

std::unexpected<Error> without_roofline(const std::string& reason) {
  return fail(ErrorCode::Refused, "there is no roofline of this session: " + reason);
}

Result<PeakKind> peak_of_operands(const Task& task) {
  if (!task.op || task.flops() <= 0) return without_roofline("the operations of its task are not known");
  if (const std::optional<PeakKind> kind = peak_kind(task)) return *kind;
  return without_roofline("peaks are measured for f32 and i8, but its task computes with other types");
}

Result<Trial> timed_trial(const Store& store, SessionId id, std::int64_t number) {
  Trial trial = TRY(store.trial(id, number));
  if (trial.measurement.median_seconds() > 0) return trial;
  return fail(ErrorCode::Refused, fmt::format("trial {} of session {} was not timed", number, id),
              "choose a trial without an error");
}

Result<DeviceLease> lease_for_counting(SessionId id, std::int64_t trial, const TargetDescription& target,
                                       const StopRequest& stop) {
  DeviceLease::Request request;
  request.device = leased_device(target);
  request.holder = fmt::format("trial {} of session {} is counted, process {}", trial, id, getpid());
  request.give_up = [&stop] { return stop.level() > 0; };
  return DeviceLease::acquire(request);
}

}  // namespace

Result<RooflineSession> roofline_session(const SessionRecord& record) {
  const ScheduleFamily kernels = TRY(session_kernels(record));
  const ScheduledKernel& kernel = kernels.kernel();
  if (!kernel.target().fleet.empty())
    return without_roofline("it was measured on a fleet, whose machines' ceilings are not stored here");
  if (kernel.target().kind != TargetKind::Cpu)
    return without_roofline("its kernels run on a GPU: use the GPU vendor's profiler");
  const PeakKind peak = TRY(peak_of_operands(kernel.task()));
  const MeasureOptions options = TRY(stored_measure_options(record.options_json));
  const int threads = options.kernel_threads(host_cores(kernel.target()));
  return RooflineSession{kernel, threads, options.flush_caches, peak, needed_share(*kernel.task().op)};
}

Result<RooflineKernel> roofline_kernel(const RooflineSession& session, const Configuration& configuration,
                                       double seconds) {
  const TrafficEstimate estimate =
      TRY(estimate_kernel_traffic(session.kernel, configuration, session.threads));
  RooflineKernel kernel;
  kernel.flops = session.kernel.task().flops() * session.needed;
  kernel.seconds = seconds;
  kernel.peak = session.peak;
  for (std::size_t level = 0; level < memory_level_count; ++level) {
    const LevelTraffic& traffic = estimate.levels[level];
    kernel.traffic[level] = {traffic.bytes, traffic.stays_nearer && !session.flushes_caches,
                             TrafficOrigin::Estimated};
  }
  return kernel;
}

Result<TrialRoofline> roofline_of_trial(const Store& store, SessionId id, std::int64_t number) {
  const SessionSummary summary = TRY(store.session(id));
  const RooflineSession session = TRY(roofline_session(summary.record));
  const Trial trial = TRY(timed_trial(store, id, number));
  const auto ceilings = TRY(stored_ceilings(store, session.kernel.target(), session.threads));
  if (!ceilings) {
    return fail(
        ErrorCode::NotFound,
        fmt::format("the ceilings of {} with as many threads as the session's ({}) were not measured",
                    session.kernel.target().device, session.threads),
        fmt::format("measure them with `kernelscape devices --ceilings --threads {}`", session.threads));
  }
  RooflineKernel kernel =
      TRY(roofline_kernel(session, trial.configuration, trial.measurement.median_seconds()));
  TrialRoofline roofline;
  if (const auto json = TRY(store.trial_insight(id, number, counters_kind))) {
    roofline.counters = TRY(counter_reading_from_json(*json));
    kernel.traffic = with_counted_traffic(kernel.traffic, *roofline.counters);
  }
  roofline.place = TRY(roofline_place(*ceilings, kernel));
  return roofline;
}

Result<CounterReading> count_trial(Store& store, SessionId id, std::int64_t number, const StopRequest& stop) {
  const PreparedTuning prepared = TRY(prepare_stored(store, id));
  const Trial trial = TRY(timed_trial(store, id, number));
  if (!prepared.family) {
    return fail(ErrorCode::Refused,
                fmt::format("session {} replays a recorded space: it has no kernels to count", id),
                "run the task on this machine");
  }
  const SessionSetup& setup = prepared.setup;
  const DeviceLease lease = TRY(lease_for_counting(id, number, setup.target, stop));
  const std::optional<CounterReading> reading =
      TRY(count_configuration(*prepared.family, setup.target, setup.options, trial.configuration,
                              [&stop] { return stop.level() > 0; }));
  if (!reading) {
    return fail(ErrorCode::Refused, fmt::format("trial {} was not counted: stopped by the user", number),
                "nothing was stored; start the measurement again");
  }
  TRY(store.save_trial_insight(id, number, counters_kind, counter_reading_to_json(*reading)));
  return *reading;
}

}  // namespace kernelscape
