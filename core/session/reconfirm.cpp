#include "core/session/reconfirm.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "core/base/text.h"
#include "core/fleet/fleet_confirmation.h"
#include "core/measure/device_lease.h"
#include "core/session/baselines.h"
#include "core/session/batch.h"
#include "core/session/fleet_run.h"
#include "core/session/preparation_parts.h"

namespace kernelscape {
namespace {

std::unexpected<Error> not_measured(SessionId id, std::string_view reason, std::string hint) {
  return fail(ErrorCode::Refused, fmt::format("session {} can't be measured again: {}", id, reason),
              std::move(hint));
}

/** Owns the session while it is measured, so that no other process resumes or deletes it meanwhile. */
class Ownership {
 public:
  static Result<Ownership> take(Store& store, SessionId id) {
    const Owner owner = Owner::this_process();
    TRY(store.claim_session(id, owner));
    return Ownership(store, id, owner);
  }
  Ownership(Ownership&& other) noexcept
      : store_(std::exchange(other.store_, nullptr)), id_(other.id_), owner_(std::move(other.owner_)) {}
  Ownership& operator=(Ownership&&) = delete;
  ~Ownership() {
    // A session that stays owned is free again when this process ends.
    if (store_ != nullptr) std::ignore = store_->release_session(id_, owner_);
  }

 private:
  Ownership(Store& store, SessionId id, Owner owner) : store_(&store), id_(id), owner_(std::move(owner)) {}

  Store* store_;
  SessionId id_;
  Owner owner_;
};

/** Returns the five fastest trials, then the extra one if it is not among them. */
Result<std::vector<BestTrials::Entry>> choose_trials(const Store& store, SessionId id,
                                                     std::optional<std::int64_t> extra_trial) {
  const std::vector<Store::ArrivedRow> rows = TRY(store.rows(id));
  BestTrials best;
  std::optional<BestTrials::Entry> extra;
  for (const Store::ArrivedRow& row : rows) {
    const bool valid = row.category == ErrorCategory::NoError && row.sample_count > 0;
    const BestTrials::Entry entry{row.number, valid ? row.median_seconds : 0, row.configuration};
    best.add(entry);
    if (extra_trial == row.number && valid) extra = entry;
  }
  if (best.entries().empty())
    return not_measured(id, "it has no valid trial", "resume it, or run the task again");
  std::vector<BestTrials::Entry> chosen = best.entries();
  if (!extra_trial) return chosen;
  if (!extra) {
    return not_measured(id, fmt::format("trial {} of the session has no valid kernel", *extra_trial),
                        "choose a trial without an error");
  }
  if (std::ranges::find(chosen, extra->trial, &BestTrials::Entry::trial) == chosen.end())
    chosen.push_back(std::move(*extra));
  return chosen;
}

Result<DeviceLease> acquire_device(SessionId id, const SessionSetup& setup, const StopRequest& stop) {
  DeviceLease::Request request;
  request.device = leased_device(setup.target);
  request.holder = fmt::format("{}, the best of session {} again, process {}", setup.task.name, id, getpid());
  request.give_up = [&stop] { return stop.level() > 0; };
  return DeviceLease::acquire(request);
}

/** Where the session was measured. */
Result<Confirmations> measure_again(SessionId id, const PreparedTuning& prepared,
                                    std::span<const Configuration> configurations, const StopRequest& stop) {
  const SessionSetup& setup = prepared.setup;
  const auto stopped = [&stop] { return stop.level() > 0; };
  if (!setup.target.fleet.empty()) {
    const FleetMeasuring measuring = TRY(fleet_measuring_of(setup.target));
    return confirm_on_fleet(prepared.family, measuring, setup.options, configurations, stopped, 0);
  }
  const DeviceLease lease = TRY(acquire_device(id, setup, stop));
  return measure_interleaved(*prepared.family, setup.target, setup.options, configurations,
                             setup.options.repeats, stopped);
}

/** Confirmations of the valid ones and of the vendor. */
Status store_confirmations(Store& store, SessionId id, const std::vector<BestTrials::Entry>& trials,
                           const Confirmations& measured) {
  const std::string now = utc_now();
  std::vector<Confirmation> confirmations;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Measurement& measurement = measured.configurations.at(i);
    if (measurement.valid()) confirmations.push_back({trials[i].trial, now, measurement.samples_seconds});
  }
  if (!measured.vendor.samples_seconds.empty())
    confirmations.push_back({-1, now, measured.vendor.samples_seconds});
  return store.append_confirmations(id, confirmations);
}

/** The vendor's and the first valid one's new samples; a failure leaves the old ones. */
Status store_baselines(Store& store, SessionId id, Baselines baselines, const Confirmations& measured,
                       bool with_first_valid) {
  const SessionSummary session = TRY(store.session(id));
  if (measured.vendor.available() || !baselines.vendor.available()) baselines.vendor = measured.vendor;
  if (with_first_valid && measured.configurations.back().valid())
    baselines.first_valid->samples_seconds = measured.configurations.back().samples_seconds;
  SessionStatus status = session.status;
  status.vendor_json = baselines_to_json(baselines);
  return store.update_status(id, status);
}

}  // namespace

Result<Confirmations> measure_best_again(Store& store, SessionId id, std::optional<std::int64_t> extra_trial,
                                         const StopRequest& stop) {
  const PreparedTuning prepared = TRY(prepare_stored(store, id));
  const SessionSetup& setup = prepared.setup;
  if (setup.options.build_only) {
    return not_measured(id, "its kernels were built but not run",
                        "run the task without --build-only on a device");
  }
  const std::vector<BestTrials::Entry> trials = TRY(choose_trials(store, id, extra_trial));
  const SessionSummary session = TRY(store.session(id));
  const Result<Baselines> stored = baselines_from_json(session.status.vendor_json);
  Baselines baselines = stored ? *stored : Baselines();

  std::vector<Configuration> configurations;
  for (const BestTrials::Entry& trial : trials) configurations.push_back(trial.configuration);
  const bool with_first_valid =
      baselines.first_valid && setup.space.contains(baselines.first_valid->configuration);
  if (with_first_valid) configurations.push_back(baselines.first_valid->configuration);

  const Ownership ownership = TRY(Ownership::take(store, id));
  Confirmations measured = TRY(measure_again(id, prepared, configurations, stop));
  if (measured.interrupted)
    return not_measured(id, "stopped by the user", "nothing was stored; start it again");
  TRY(store_confirmations(store, id, trials, measured));
  baselines.limits = remeasure_limits(baselines.limits, setup.task, measured.configurations,
                                      [&setup] { return measure_session_limits(setup); });
  TRY(store_baselines(store, id, std::move(baselines), measured, with_first_valid));
  return measured;
}

}  // namespace kernelscape
