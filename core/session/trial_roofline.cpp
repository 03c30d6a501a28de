#include "core/session/trial_roofline.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/measure/counting.h"
#include "core/measure/cpu/machine_limits.h"
#include "core/measure/device_lease.h"
#include "core/schedule/kernel_traffic.h"
#include "core/session/kernels.h"
#include "core/session/machine_roofs.h"
#include "core/session/preparation_parts.h"
#include "core/trial/measure_options.h"

namespace kernelscape::session {
namespace {

std::unexpected<Error> without_roofline(const std::string& reason) {
  return fail(ErrorCode::Refused, "there is no roofline of this session: " + reason);
}

Result<trial::PeakKind> peak_of_operands(const task::Task& task) {
  if (!task.op || task.flops() <= 0) return without_roofline("the operations of its task are not known");
  if (const std::optional<trial::PeakKind> kind = measure::peak_kind(task)) return *kind;
  return without_roofline("peaks are measured for f32 and i8, but its task computes with other types");
}

Result<trial::Trial> timed_trial(const store::Store& store, store::SessionId id, std::int64_t number) {
  trial::Trial trial = TRY(store.trials().get(id, number));
  if (trial.measurement.median_seconds() > 0) return trial;
  return fail(ErrorCode::Refused, fmt::format("trial {} of session {} was not timed", number, id),
              "choose a trial without an error");
}

Result<measure::DeviceLease> lease_for_counting(store::SessionId id, std::int64_t trial,
                                                const schedule::TargetDescription& target,
                                                const StopRequest& stop) {
  measure::DeviceLease::Request request;
  request.device = leased_device(target);
  request.holder = fmt::format("trial {} of session {} is counted, process {}", trial, id, getpid());
  request.give_up = [&stop] { return stop.level() > 0; };
  return measure::DeviceLease::acquire(request);
}

}  // namespace

Result<RooflineSession> roofline_session(const store::SessionRecord& record) {
  const kernel::ScheduleFamily kernels = TRY(session_kernels(record));
  const schedule::ScheduledKernel& kernel = kernels.kernel();
  if (!kernel.target().fleet.empty())
    return without_roofline("it was measured on a fleet, whose machines' ceilings are not stored here");
  if (kernel.target().kind != schedule::TargetKind::Cpu)
    return without_roofline("its kernels run on a GPU: use the GPU vendor's profiler");
  const trial::PeakKind peak = TRY(peak_of_operands(kernel.task()));
  const trial::MeasureOptions options = TRY(trial::stored_measure_options(record.options_json));
  const int threads = options.kernel_threads(schedule::host_cores(kernel.target()));
  return RooflineSession{kernel, threads, options.flush_caches, peak,
                         measure::needed_share(*kernel.task().op)};
}

Result<analysis::RooflineKernel> roofline_kernel(const RooflineSession& session,
                                                 const space::Configuration& configuration, double seconds) {
  const loop_nest::TrafficEstimate estimate =
      TRY(schedule::estimate_kernel_traffic(session.kernel, configuration, session.threads));
  analysis::RooflineKernel kernel;
  kernel.flops = session.kernel.task().flops() * session.needed;
  kernel.seconds = seconds;
  kernel.peak = session.peak;
  for (std::size_t level = 0; level < base::memory_level_count; ++level) {
    const loop_nest::LevelTraffic& traffic = estimate.levels[level];
    kernel.traffic[level] = {traffic.bytes, traffic.stays_nearer && !session.flushes_caches,
                             analysis::TrafficOrigin::Estimated};
  }
  return kernel;
}

Result<TrialRoofline> roofline_of_trial(const store::Store& store, store::SessionId id, std::int64_t number) {
  const store::SessionSummary summary = TRY(store.sessions().get(id));
  const RooflineSession session = TRY(roofline_session(summary.record));
  const trial::Trial trial = TRY(timed_trial(store, id, number));
  const auto ceilings = TRY(stored_ceilings(store, session.kernel.target(), session.threads));
  if (!ceilings) {
    return fail(
        ErrorCode::NotFound,
        fmt::format("the ceilings of {} with as many threads as the session's ({}) were not measured",
                    session.kernel.target().device, session.threads),
        fmt::format("measure them with `kernelscape devices --ceilings --threads {}`", session.threads));
  }
  analysis::RooflineKernel kernel =
      TRY(roofline_kernel(session, trial.configuration, trial.measurement.median_seconds()));
  TrialRoofline roofline;
  if (const auto json = TRY(store.trials().insight(id, number, counters_kind))) {
    roofline.counters = TRY(trial::counter_reading_from_json(*json));
    kernel.traffic = analysis::with_counted_traffic(kernel.traffic, *roofline.counters);
  }
  roofline.place = TRY(analysis::roofline_place(*ceilings, kernel));
  if (session.needed < 1) {
    const double all = session.kernel.task().flops() / kernel.seconds * 1e-9;
    roofline.place.notices.push_back(fmt::format(
        "its {:.4g} GFLOPS here count only the FLOPs that must be computed; the headline's speed, "
        "{:.4g} GFLOPS for the same time, and the machine's limit beside it also count those on "
        "padding",
        kernel.gflops(), all));
  }
  return roofline;
}

Result<trial::CounterReading> count_trial(store::Store& store, store::SessionId id, std::int64_t number,
                                          const StopRequest& stop) {
  const PreparedTuning prepared = TRY(prepare_stored(store, id));
  const trial::Trial trial = TRY(timed_trial(store, id, number));
  if (!prepared.family) {
    return fail(ErrorCode::Refused,
                fmt::format("session {} replays a recorded space: it has no kernels to count", id),
                "run the task on this machine");
  }
  const Setup& setup = prepared.setup;
  const measure::DeviceLease lease = TRY(lease_for_counting(id, number, setup.target, stop));
  const std::optional<trial::CounterReading> reading =
      TRY(measure::count_configuration(*prepared.family, setup.target, setup.options, trial.configuration,
                                       [&stop] { return stop.level() > 0; }));
  if (!reading) {
    return fail(ErrorCode::Refused, fmt::format("trial {} was not counted: stopped by the user", number),
                "nothing was stored; start the measurement again");
  }
  TRY(store.trials().save_insight(id, number, counters_kind, trial::counter_reading_to_json(*reading)));
  return *reading;
}

}  // namespace kernelscape::session
