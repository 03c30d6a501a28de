#include "core/session/fleet_run.h"

#include <fmt/format.h>

#include <utility>

#include "core/fleet/confirmation.h"
#include "core/fleet/measurer.h"
#include "core/fleet/state.h"
#include "core/fleet/target.h"
#include "core/session/preparation.h"
#include "core/session/time_limits.h"

namespace kernelscape::session {

Result<fleet::Measuring> fleet_measuring_of(const schedule::TargetDescription& target,
                                            std::function<void(const std::string&)> notice) {
  const fleet::TargetName name =
      TRY(fleet::parse_fleet_target(std::string(fleet::fleet_target_prefix) + target.fleet));
  fleet::Measuring measuring;
  measuring.access = TRY(fleet::access_fleet(name.address));
  fleet::RedisConnection connection = TRY(measuring.access.connect());
  const fleet::State state = TRY(fleet::read_fleet_state(connection, measuring.access.times));
  measuring.device = TRY(fleet::choose_class(state.workers, name.device_class));
  // A worker that was set apart has a class whose name begins with that of the others.
  if (measuring.device.id != name.device_class) {
    return fail(ErrorCode::NotFound,
                fmt::format("the fleet has no device of the class {} at the moment, only of {}",
                            name.device_class, measuring.device.id),
                "wait for a device of that class, or begin a session for another class: times of different "
                "classes cannot be compared");
  }
  if (notice)
    for (const std::string& text : fleet::notices_of(state, measuring.device)) notice(text);
  measuring.notice = std::move(notice);
  return measuring;
}

Result<Outcome> run_on_fleet(store::Store& store, const PreparedTuning& tuning,
                             std::optional<store::SessionId> resumed, Observer& observer,
                             const StopRequest& stop) {
  const Setup& setup = tuning.setup;
  const fleet::Measuring measuring =
      TRY(fleet_measuring_of(setup.target, [&observer](const std::string& text) {
        observer.message({MessageKind::Machine, text});
      }));
  const std::unique_ptr<measure::Measurer> measurer =
      TRY(fleet::make_fleet_measurer(tuning.family, measuring, setup.options));
  const bool alone = setup.options.build_only || setup.trials_alone || setup.first_kernel;
  trial::WorkerUsualTimes usual;
  Confirmer confirmer;
  if (!alone && !setup.continues) {
    confirmer = [&](std::span<const space::Configuration> configurations, const StopRequest& stopped,
                    double max_seconds) {
      return fleet::confirm_on_fleet(
          tuning.family, measuring, setup.options, configurations, [&stopped] { return stopped.level() > 0; },
          max_seconds, usual);
    };
  }
  Surveyor surveyor;
  if (!alone) {
    surveyor = [&](const StopRequest& stopped) -> Result<Survey> {
      Survey survey;
      survey.vendor = TRY(fleet::measure_fleet_baseline(
          setup.task, measuring, setup.options, [&stopped] { return stopped.level() > 0; },
          survey_seconds(setup.budget)));
      return survey;
    };
  }
  const Tools tools{.measurer = *measurer,
                    .observer = observer,
                    .stop = stop,
                    .clock = steady_clock_seconds(),
                    .confirmer = std::move(confirmer),
                    .surveyor = std::move(surveyor),
                    .kept = tuning.kept,
                    .worker_usual_known = [&](const trial::WorkerUsualTimes& known) { usual = known; }};
  return resumed ? resume_session(store, *resumed, setup, tools) : run_session(store, setup, tools);
}

}  // namespace kernelscape::session
