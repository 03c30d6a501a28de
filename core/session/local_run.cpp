#include "core/session/local_run.h"

#include <fmt/format.h>

#include "core/base/numbers.h"
#include "core/base/processors.h"
#include "core/measure/cpu/machine_limits.h"
#include "core/measure/cpu/machine_state.h"
#include "core/measure/interruption.h"
#include "core/measure/runner.h"
#include "core/measure/vendor_library.h"
#include "core/measure/worker/openmp_environment.h"
#include "core/session/fleet_run.h"
#include "core/session/notice_keeper.h"
#include "core/session/parameter_effect.h"
#include "core/session/preparation.h"
#include "core/session/program_run.h"
#include "core/session/replayed_session.h"
#include "core/session/session_lease.h"
#include "core/session/time_limits.h"

namespace kernelscape::session {
namespace {

/** @param usual set before the first confirmation */
Confirmer make_confirmer(const PreparedTuning& tuning, const trial::UsualSpeed& usual) {
  return [&tuning, &usual](std::span<const space::Configuration> configurations, const StopRequest& stop,
                           double max_seconds) {
    return measure_again_here(
        tuning, configurations, [&stop] { return stop.level() > 0; }, max_seconds, usual);
  };
}

/** A GPU is slowed by its own state, which its worker reports; everything else by that of this machine. */
std::function<measure::MachineConditions()> make_conditions(const Setup& setup) {
  return [own_state = setup.target.builds_beside_runs(), processors = base::usable_processors()] {
    return measure::read_device_conditions(own_state, processors);
  };
}

/** The limits with the task's working set, and the vendor's library. */
Surveyor make_surveyor(const Setup& setup) {
  return [&setup](const StopRequest& stop) -> Result<Survey> {
    Survey survey;
    if (!is_program(setup)) survey.limits = measure_session_limits(setup);
    if (setup.project) {
      survey.vendor = measure::no_vendor_of_program();
      return survey;
    }
    const double max_seconds = survey_seconds(setup.budget);
    const measure::Deadline deadline = measure::deadline_after(max_seconds);
    const auto over = [&deadline] { return std::chrono::steady_clock::now() >= deadline; };
    Result<trial::VendorResult> vendor = measure::measure_vendor_baseline(
        setup.task, setup.target, setup.options, [&stop, &over] { return stop.level() > 0 || over(); });
    if (!vendor && over() && stop.level() == 0) {
      survey.vendor.reason =
          fmt::format("the vendor's library took longer than {}", base::duration_text(max_seconds));
    } else {
      survey.vendor = TRY(std::move(vendor));
    }
    return survey;
  };
}

/** Returns the session time of earlier runs of a resumed session; 0 for a new session. */
Result<double> seconds_behind(const store::Store& store, std::optional<store::SessionId> resumed) {
  if (!resumed) return 0.0;
  return TRY(store.sessions().get(*resumed)).status.session_seconds;
}

}  // namespace

Result<Outcome> run_on_this_machine(store::Store& store, const PreparedTuning& tuning,
                                    std::optional<store::SessionId> resumed, Observer& observer,
                                    const StopRequest& stop) {
  NoticeKeeper keeper(store, observer, TRY(seconds_behind(store, resumed)));
  if (const std::string notice = tuner_notice(tuning.setup); !resumed && !notice.empty())
    keeper.message({MessageKind::Note, notice});
  for (const std::string& notice : tuning.notices) keeper.message({MessageKind::Note, notice});
  if (tuning.recording) return run_replay(store, tuning, resumed, keeper, stop);
  if (!tuning.setup.target.fleet.empty()) return run_on_fleet(store, tuning, resumed, keeper, stop);
  const Setup& setup = tuning.setup;
  if (!resumed) {
    const EffectComparison comparison{
        .max_seconds = comparing_seconds(setup.budget),
        .step = [&keeper](const std::string& text) { keeper.message({MessageKind::Step, text}); }};
    for (const std::string& notice : parameters_without_effect(tuning, comparison, stop).sentences)
      keeper.message({MessageKind::Note, notice});
  }
  if (setup.project && !is_program(setup) && setup.project->dialect == codegen::Dialect::C) {
    for (const std::string& notice : measure::openmp_notices()) keeper.message({MessageKind::Note, notice});
  }
  if (!resumed && setup.target.kind == schedule::TargetKind::Cpu && setup.task.op)
    for (const std::string& notice : measure::vendor_library_notices())
      keeper.message({MessageKind::Note, notice});
  const std::unique_ptr<measure::Measurer> measurer = TRY(make_measurer_here(tuning));
  trial::UsualSpeed usual_speed;
  bool loaded = false;
  const auto run = [&](Confirmer confirmer, Surveyor surveyor) {
    const LimitMeter limits =
        surveyor && !is_program(setup) ? [&setup] { return measure_session_limits(setup); } : LimitMeter();
    const Tools tools{.measurer = *measurer,
                      .observer = keeper,
                      .stop = stop,
                      .clock = steady_clock_seconds(),
                      .confirmer = std::move(confirmer),
                      .surveyor = std::move(surveyor),
                      .limits = limits,
                      .kept = tuning.kept,
                      .usual_speed_known = [&](const trial::UsualSpeed& usual) { usual_speed = usual; },
                      .conditions = make_conditions(setup),
                      .loaded = loaded};
    return resumed ? resume_session(store, *resumed, setup, tools) : run_session(store, setup, tools);
  };
  // No kernel runs: there are no timings to protect, to compare or to confirm.
  if (setup.options.build_only) return run({}, {});
  const measure::DeviceLease lease = TRY(lease_device_of(setup, keeper, stop));
  if (setup.first_kernel) return run({}, {});
  if (leased_device(setup.target) == schedule::to_string(schedule::TargetKind::Cpu)) {
    const measure::MachineReadings state = measure::read_machine_state();
    loaded = measure::used_by_others(state);
    for (const measure::MachineNotice& notice : measure::describe_readings(state))
      keeper.message({notice.of_process ? MessageKind::BusyProcess : MessageKind::Machine, notice.text});
  }
  if (setup.trials_alone) return run({}, {});
  return run(setup.continues ? Confirmer() : make_confirmer(tuning, usual_speed), make_surveyor(setup));
}

}  // namespace kernelscape::session
