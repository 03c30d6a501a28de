#include "core/session/ask_tell.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/visible_text.h"
#include "core/fleet/target.h"
#include "core/project/space_file.h"
#include "core/session/notice_keeper.h"
#include "core/session/preparation_parts.h"
#include "core/session/session_lease.h"

namespace kernelscape::session {
namespace {

Result<schedule::TargetDescription> client_target(const std::string& name) {
  schedule::TargetDescription target;
  target.name = elsewhere_target;
  if (name == elsewhere_target) return target;
  if (is_recorded_target(name) || fleet::is_fleet_target(name))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("a client cannot measure on the target {}", base::quoted_line(name)),
                fmt::format("name a device of this machine, such as cpu, or {}", elsewhere_target));
  target = TRY(resolve_target(name, measure::CompilerNeed::Optional));
  // How the client builds is not known.
  target.extensions.clear();
  target.compiler.clear();
  target.compiler_version.clear();
  target.flags.clear();
  return target;
}

Status check_client_tuner(const Setup& setup) {
  const tuner::Declaration* tuner = TRY(tuner::find_tuner(setup.tuner));
  if (!tuner->uses_predictor) return check_tuner(setup);
  return fail(
      ErrorCode::Refused,
      fmt::format("tuner {}: predictors know kernels of templates, not what a client measures", tuner->name),
      "choose another tuner");
}

/** Holds the device of the client, as a session that measures on this machine does. */
Result<std::optional<measure::DeviceLease>> lease_for_client(const Setup& setup, Observer& observer,
                                                             const StopRequest& stop) {
  if (setup.target.name == elsewhere_target) return std::nullopt;
  return TRY(lease_device_of(setup, observer, stop));
}

Result<Outcome> run_with_client(store::Store& store, const PreparedTuning& tuning,
                                std::optional<store::SessionId> resumed, ClientMeasurer& client,
                                double earlier_seconds) {
  NoticeKeeper keeper(store, client, earlier_seconds);
  if (const std::string notice = tuner_notice(tuning.setup); !resumed && !notice.empty())
    keeper.message({MessageKind::Note, notice});
  for (const std::string& notice : tuning.notices) keeper.message({MessageKind::Note, notice});
  const Tools tools{.measurer = client,
                    .observer = keeper,
                    .stop = client.stop(),
                    .clock = steady_clock_seconds(),
                    .confirmer = {}};
  return resumed ? resume_session(store, *resumed, tuning.setup, tools)
                 : run_session(store, tuning.setup, tools);
}

Status write_end(const store::Store& store, const Setup& setup, const Outcome& outcome, ClientLines& lines) {
  std::optional<trial::Trial> best;
  if (outcome.status.best_trial >= 0) best = TRY(store.trials().get(outcome.id, outcome.status.best_trial));
  lines.write(ended_line(outcome, setup.space, best ? &best->configuration : nullptr));
  return {};
}

}  // namespace

bool is_ask_tell(const store::SessionRecord& record) {
  return record.kind == store::SessionKind::Measured && record.template_name.empty() &&
         record.project_hash.empty();
}

Result<PreparedTuning> prepare_ask_tell(const TuningRequest& request, std::int64_t batch_size,
                                        const store::Store& store) {
  const tuner::SettingValues settings = TRY(requested_settings(request));
  project::SpaceFile file = TRY(project::read_space_file(request.task));
  Setup setup{.space = std::move(file.space)};
  const task::GenericProblem problem{
      .problem = file.name, .objective = "time", .unit = "seconds", .flops = file.flops, .bytes = file.bytes};
  setup.task = TRY(task::make_generic_task(problem, file.name));
  setup.target = TRY(client_target(request.target));
  setup.settings = settings;
  // No builder of this program works for the session.
  setup.options.builders = 1;
  setup.batch_size = batch_size;
  // A commit that waits for the disk takes milliseconds. Without it, the end of a process loses nothing; the
  // end of the machine may lose the last results, which the session then asks for again.
  setup.real_measurements = false;
  TRY(apply_request(request, store, setup));
  TRY(check_client_tuner(setup));
  return PreparedTuning{.setup = std::move(setup), .family = nullptr, .notices = std::move(file.notices)};
}

Result<PreparedTuning> prepare_ask_tell_resume(const store::Store& store, store::SessionId id) {
  const store::SessionRecord record = TRY(store.sessions().get(id)).record;
  if (!is_ask_tell(record))
    return fail(ErrorCode::Refused, fmt::format("the trials of session {} were not measured by a client", id),
                fmt::format("resume the session with `kernelscape resume {}`", id));
  Result<space::SearchSpace> space = space::space_from_json(record.space_json);
  if (!space) return only_viewed(id, describe(space.error()));
  Setup setup{.space = *std::move(space)};
  setup.name = record.name;
  setup.task = TRY(task::task_from_json(record.task_json));
  setup.target = TRY(schedule::target_from_json(record.target_json));
  setup.tuner = record.tuner;
  setup.batch_size = record.batch_size;
  setup.seed = record.seed;
  setup.real_measurements = record.real_measurements;
  if (const Status values = restore_values(store, record, setup); !values)
    return only_viewed(id, describe(values.error()));
  return PreparedTuning{.setup = std::move(setup), .family = nullptr};
}

Result<Outcome> run_ask_tell(store::Store& store, const PreparedTuning& tuning,
                             std::optional<store::SessionId> resumed, ClientLines& lines,
                             const StopRequest& stop) {
  ClientMeasurer::Greeting greeting{.database = store.path().string(), .resumed = resumed.has_value()};
  if (resumed) {
    greeting.earlier = TRY(store.sessions().get(*resumed)).status;
    greeting.metrics = TRY(store.trials().metrics(*resumed));
    for (const store::StoredBatch& batch : TRY(store.batches().of(*resumed)))
      greeting.proposed += std::ssize(batch.candidates);
  }
  const double earlier_seconds = greeting.earlier.session_seconds;
  ClientMeasurer client(tuning.setup, lines, stop, steady_clock_seconds(), std::move(greeting));
  std::optional<Result<Outcome>> outcome;
  {
    const auto lease = lease_for_client(tuning.setup, client, stop);
    outcome = lease ? run_with_client(store, tuning, resumed, client, earlier_seconds)
                    : Result<Outcome>(std::unexpected(lease.error()));
  }
  if (!*outcome) {
    lines.write(error_line(LineError::Failed, outcome->error()));
    return std::move(*outcome);
  }
  client.serve_after_end((*outcome)->status.state_reason);
  TRY(write_end(store, tuning.setup, **outcome, lines));
  return std::move(*outcome);
}

}  // namespace kernelscape::session
