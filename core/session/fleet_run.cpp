#include "core/session/fleet_run.h"

#include <fmt/format.h>

#include <utility>

#include "core/fleet/fleet_confirmation.h"
#include "core/fleet/fleet_measurer.h"
#include "core/fleet/fleet_state.h"
#include "core/fleet/fleet_target.h"
#include "core/session/preparation.h"
#include "core/session/time_limits.h"

namespace kernelscape {

Result<FleetMeasuring> fleet_measuring_of(const TargetDescription& target,
                                          std::function<void(const std::string&)> notice) {
  const FleetTargetName name = TRY(parse_fleet_target(std::string(fleet_target_prefix) + target.fleet));
  FleetMeasuring measuring;
  measuring.access = TRY(access_fleet(name.address));
  RedisConnection connection = TRY(measuring.access.connect());
  const FleetState state = TRY(read_fleet_state(connection, measuring.access.times));
  measuring.device = TRY(choose_class(state.workers, name.device_class));
  // A worker that was set apart has a class whose name begins with that of the others.
  if (measuring.device.id != name.device_class) {
    return fail(ErrorCode::NotFound,
                fmt::format("the fleet has no device of the class {} at the moment, only of {}",
                            name.device_class, measuring.device.id),
                "wait for a device of that class, or begin a session for another class: times of different "
                "classes cannot be compared");
  }
  if (notice)
    for (const std::string& text : notices_of(state, measuring.device)) notice(text);
  measuring.notice = std::move(notice);
  return measuring;
}

Result<SessionOutcome> run_on_fleet(Store& store, const PreparedTuning& tuning,
                                    std::optional<SessionId> resumed, SessionObserver& observer,
                                    const StopRequest& stop) {
  const SessionSetup& setup = tuning.setup;
  const FleetMeasuring measuring = TRY(fleet_measuring_of(setup.target, [&observer](const std::string& text) {
    observer.message({MessageKind::Machine, text});
  }));
  const std::unique_ptr<Measurer> measurer =
      TRY(make_fleet_measurer(tuning.family, measuring, setup.options));
  const bool alone = setup.options.build_only || setup.trials_alone || setup.first_kernel;
  Confirmer confirmer;
  if (!alone && !setup.continues) {
    confirmer = [&](std::span<const Configuration> configurations, const StopRequest& stopped,
                    double max_seconds) {
      return confirm_on_fleet(
          tuning.family, measuring, setup.options, configurations, [&stopped] { return stopped.level() > 0; },
          max_seconds);
    };
  }
  Surveyor surveyor;
  if (!alone) {
    surveyor = [&](const StopRequest& stopped) -> Result<Survey> {
      Survey survey;
      survey.vendor = TRY(measure_fleet_baseline(
          setup.task, measuring, setup.options, [&stopped] { return stopped.level() > 0; },
          survey_seconds(setup.budget)));
      return survey;
    };
  }
  const SessionTools tools{
      *measurer,           observer, stop,       steady_clock_seconds(), std::move(confirmer),
      std::move(surveyor), {},       tuning.kept};
  return resumed ? resume_session(store, *resumed, setup, tools) : run_session(store, setup, tools);
}

}  // namespace kernelscape
