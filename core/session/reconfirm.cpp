#include "core/session/reconfirm.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "core/base/text.h"
#include "core/fleet/confirmation.h"
#include "core/measure/cpu/memory_ceilings.h"
#include "core/measure/device_lease.h"
#include "core/session/baselines.h"
#include "core/session/batch.h"
#include "core/session/confirmed_vendor.h"
#include "core/session/fleet_run.h"
#include "core/session/preparation_parts.h"
#include "core/session/program_run.h"
#include "core/session/uncertain_trials.h"
#include "core/session/usual_speed.h"
#include "core/store/stored_speeds.h"

namespace kernelscape::session {
namespace {

std::unexpected<Error> not_measured(store::SessionId id, std::string_view reason, std::string hint) {
  return fail(ErrorCode::Refused, fmt::format("session {} can't be measured again: {}", id, reason),
              std::move(hint));
}

/** Owns the session while it is measured, so that no other process resumes or deletes it meanwhile. */
class OwnedSession {
 public:
  static Result<OwnedSession> take(store::Store& store, store::SessionId id) {
    const store::Owner owner = store::Owner::this_process();
    TRY(store.sessions().claim(id, owner));
    return OwnedSession(store, id, owner);
  }
  OwnedSession(OwnedSession&& other) noexcept
      : store_(std::exchange(other.store_, nullptr)), id_(other.id_), owner_(std::move(other.owner_)) {}
  OwnedSession& operator=(OwnedSession&&) = delete;
  ~OwnedSession() {
    // A session that stays owned is free again when this process ends.
    if (store_ != nullptr) std::ignore = store_->sessions().release(id_, owner_);
  }

 private:
  OwnedSession(store::Store& store, store::SessionId id, store::Owner owner)
      : store_(&store), id_(id), owner_(std::move(owner)) {}

  store::Store* store_;
  store::SessionId id_;
  store::Owner owner_;
};

/** What is measured again, and what the session knows of its machines. */
struct ChosenTrials {
  std::vector<BestTrials::Entry> trials;  ///< the fastest, those of slow phases that may be faster, the extra
  trial::ProbeSeconds usual{};            ///< of this machine, by the readings of the session
  trial::WorkerUsualTimes workers{};      ///< of a fleet
};

/** Returns the chosen trials, each once. */
Result<ChosenTrials> choose_trials(const store::Store& store, store::SessionId id,
                                   std::optional<std::int64_t> extra_trial) {
  const std::vector<store::ArrivedRow> rows = TRY(store.trials().rows(id));
  const store::SessionRecord record = TRY(store.sessions().get(id)).record;
  trial::WorkerTracks tracks(record.usual_probe,
                             store::bound_of(TRY(task::task_from_json(record.task_json))));
  BestTrials best;
  std::optional<BestTrials::Entry> extra;
  for (const store::ArrivedRow& row : rows) {
    const bool valid = row.category == trial::ErrorCategory::NoError && row.sample_count > 0;
    const BestTrials::Entry entry{row.number, valid ? row.median_seconds : 0, row.configuration};
    tracks.add(trial::speed_reading(row), row.worker);
    best.add(entry);
    if (extra_trial == row.number && valid) extra = entry;
  }
  if (best.entries().empty())
    return not_measured(id, "it has no valid trial", "resume it, or run the task again");
  ChosenTrials chosen{.trials = best.entries(), .usual = tracks.usual_of(0)};
  const std::vector<std::string> workers = TRY(store.trials().workers(id));
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const trial::ProbeSeconds usual = tracks.usual_of(static_cast<std::uint16_t>(i + 1));
    if (usual.known()) chosen.workers[workers[i]] = usual;
  }
  append_missing(chosen.trials, TRY(uncertain_trials(store, id, tracks)));
  if (!extra_trial) return chosen;
  if (!extra) {
    return not_measured(id, fmt::format("trial {} of the session has no valid kernel", *extra_trial),
                        "choose a trial without an error");
  }
  append_missing(chosen.trials, {*std::move(extra)});
  return chosen;
}

Result<measure::DeviceLease> acquire_device(store::SessionId id, const Setup& setup,
                                            const StopRequest& stop) {
  measure::DeviceLease::Request request;
  request.device = leased_device(setup.target);
  request.holder = fmt::format("{}, the best of session {} again, process {}", setup.task.name, id, getpid());
  request.give_up = [&stop] { return stop.level() > 0; };
  return measure::DeviceLease::acquire(request);
}

/**
 * Returns the usual speed of the session's machine: that of the session, else that which later sessions
 * found.
 */
Result<trial::UsualSpeed> usual_speed_for(const store::Store& store, const store::SessionRecord& record,
                                          const Setup& setup, const ChosenTrials& chosen) {
  if (record.usual_probe.known()) return trial::UsualSpeed{.seconds = record.usual_probe};
  if (!setup.target.fleet.empty()) return trial::UsualSpeed();
  const trial::UsualSpeed stored = TRY(stored_usual_speed(
      store,
      measure::machine_key(setup.target, setup.options.kernel_threads(schedule::host_cores(setup.target)))));
  if (stored.seconds.known() && !stored.loaded) return stored;
  return trial::UsualSpeed{.seconds = chosen.usual, .loaded = chosen.usual.known()};
}

/** Where the session was measured. */
Result<measure::Confirmations> measure_again(store::SessionId id, const PreparedTuning& prepared,
                                             const trial::UsualSpeed& usual,
                                             const trial::WorkerUsualTimes& workers,
                                             std::span<const space::Configuration> configurations,
                                             const StopRequest& stop) {
  const Setup& setup = prepared.setup;
  const auto stopped = [&stop] { return stop.level() > 0; };
  if (!setup.target.fleet.empty()) {
    const fleet::Measuring measuring = TRY(fleet_measuring_of(setup.target));
    return fleet::confirm_on_fleet(prepared.family, measuring, setup.options, configurations, stopped, 0,
                                   workers);
  }
  const measure::DeviceLease lease = TRY(acquire_device(id, setup, stop));
  return measure_again_here(prepared, configurations, stopped, 0, usual);
}

/** Confirmations of the valid ones, and of the vendor if that is wanted. */
Status store_confirmations(store::Store& store, store::SessionId id,
                           const std::vector<BestTrials::Entry>& trials,
                           const measure::Confirmations& measured, bool with_vendor, const std::string& now) {
  std::vector<trial::Confirmation> confirmations;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const trial::Measurement& measurement = measured.configurations.at(i);
    if (measurement.valid()) confirmations.push_back({trials[i].trial, now, measurement.samples_seconds});
  }
  if (with_vendor) confirmations.push_back({-1, now, measured.vendor.samples_seconds});
  return store.confirmations().append(id, confirmations);
}

/** The baselines with the first valid one's new samples; a failure leaves the old ones. */
Status store_baselines(store::Store& store, store::SessionId id, trial::Baselines baselines,
                       const measure::Confirmations& measured, bool with_first_valid) {
  const store::SessionSummary session = TRY(store.sessions().get(id));
  if (with_first_valid && measured.configurations.back().valid())
    baselines.first_valid->samples_seconds = measured.configurations.back().samples_seconds;
  store::SessionStatus status = session.status;
  status.vendor_json = trial::baselines_to_json(baselines);
  return store.sessions().update_status(id, status);
}

}  // namespace

Result<measure::Confirmations> measure_best_again(store::Store& store, store::SessionId id,
                                                  std::optional<std::int64_t> extra_trial,
                                                  const StopRequest& stop) {
  const PreparedTuning prepared = TRY(prepare_stored(store, id));
  const Setup& setup = prepared.setup;
  if (setup.options.build_only) {
    return not_measured(id, "its kernels were built but not run",
                        "run the task without --build-only on a device");
  }
  const ChosenTrials chosen = TRY(choose_trials(store, id, extra_trial));
  const std::vector<BestTrials::Entry>& trials = chosen.trials;
  const store::SessionSummary session = TRY(store.sessions().get(id));
  const Result<trial::Baselines> stored = trial::baselines_from_json(session.status.vendor_json);
  trial::Baselines baselines = stored ? *stored : trial::Baselines();

  std::vector<space::Configuration> configurations;
  for (const BestTrials::Entry& trial : trials) configurations.push_back(trial.configuration);
  const bool with_first_valid =
      baselines.first_valid && setup.space.contains(baselines.first_valid->configuration);
  if (with_first_valid) configurations.push_back(baselines.first_valid->configuration);

  const OwnedSession ownership = TRY(OwnedSession::take(store, id));
  const trial::UsualSpeed usual = TRY(usual_speed_for(store, session.record, setup, chosen));
  measure::Confirmations measured =
      TRY(measure_again(id, prepared, usual, chosen.workers, configurations, stop));
  if (measured.interrupted)
    return not_measured(id, "stopped by the user", "nothing was stored; start it again");
  const std::string now = base::utc_now();
  const bool with_vendor = take_vendor(baselines, measured, now);
  TRY(store_confirmations(store, id, trials, measured, with_vendor, now));
  add_machine(baselines, measured, now);
  baselines.limits = remeasure_limits(baselines.limits, setup.task, measured.configurations,
                                      [&setup] { return measure_session_limits(setup); });
  TRY(store_baselines(store, id, std::move(baselines), measured, with_first_valid));
  return measured;
}

}  // namespace kernelscape::session
