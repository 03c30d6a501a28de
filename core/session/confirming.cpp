#include <fmt/format.h>

#include <algorithm>

#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/session/measured_batches.h"
#include "core/session/time_limits.h"

namespace kernelscape {

/** Measures the best trials again. A failure loses the confirmation, not the session. */
Status MeasuredBatches::conclude(SessionState end) {
  if (end != SessionState::Done || !tools_.confirmer || session_.stop.level() > 0) return {};
  const bool wanted = TRY(needs_confirmation());
  const Status confirmed = wanted ? confirm() : Status();
  if (!confirmed) {
    session_.observer.message({MessageKind::Problem, "the best trials could not be measured again: " +
                                                         describe(confirmed.error())});
  }
  return {};
}

/** An earlier confirmation remains valid while no trial is added. */
Result<bool> MeasuredBatches::needs_confirmation() const {
  if (best_.entries().empty()) return false;
  if (measured_) return true;
  const std::vector<Confirmation> confirmations = TRY(session_.store.confirmations(session_.id));
  return std::ranges::find(confirmations, best_.entries().front().trial, &Confirmation::trial) ==
         confirmations.end();
}

Status MeasuredBatches::confirm() {
  session_.enter(SessionPhase::Confirming);
  Result<Baselines> earlier = baselines_from_json(session_.status.vendor_json);
  Baselines baselines = earlier ? std::move(*earlier) : Baselines();
  baselines.first_valid.reset();
  FirstValidSearch search = TRY(find_first_valid());
  const std::optional<Configuration>& first = search.configuration;
  baselines.first_valid_reason = std::move(search.reason);
  std::vector<Configuration> configurations;
  for (const BestTrials::Entry& entry : best_.entries()) configurations.push_back(entry.configuration);
  if (first) configurations.push_back(*first);

  accounting_.begin_measuring();
  const double max_seconds = confirming_seconds(accounting_.session_seconds());
  Confirmations measured = TRY(tools_.confirmer(configurations, session_.stop, max_seconds));
  accounting_.charge(measured.busy);
  if (measured.interrupted) return fail(ErrorCode::Refused, "stopped by the user");
  if (measured.out_of_time) TRY(notify_out_of_time(measured, max_seconds));
  if (measured.configurations.size() != configurations.size()) {
    return fail(ErrorCode::Internal,
                "the confirmation returned a different number of results than configurations");
  }
  const std::vector<Confirmation> confirmations = confirmations_of(measured);
  baselines.vendor = std::move(measured.vendor);
  baselines.limits =
      remeasure_limits(baselines.limits, session_.setup.task, measured.configurations, tools_.limits);
  if (first) {
    Measurement& measurement = measured.configurations.back();
    if (measurement.valid()) {
      baselines.first_valid = FirstValid{*first, std::move(measurement.samples_seconds)};
    } else {
      baselines.first_valid_reason = measurement.message;
    }
  }
  session_.status.vendor_json = baselines_to_json(baselines);
  // Before the confirmations, which are a sign that there is nothing left to measure: a process may die here.
  TRY(session_.store.update_status(session_.id, session_.status_now()));
  return session_.store.append_confirmations(session_.id, confirmations);
}

/** Returns the error if not even one round was completed. */
Status MeasuredBatches::notify_out_of_time(const Confirmations& measured, double max_seconds) {
  if (measured.rounds == 0)
    return fail(ErrorCode::Environment, fmt::format("it took longer than {}", duration_text(max_seconds)));
  session_.observer.message(
      {MessageKind::Problem,
       fmt::format("the best trials were measured again in {} round{} only: it took longer than {}",
                   measured.rounds, measured.rounds == 1 ? "" : "s", duration_text(max_seconds))});
  return {};
}

std::vector<Confirmation> MeasuredBatches::confirmations_of(const Confirmations& measured) const {
  const std::string now = utc_now();
  std::vector<Confirmation> confirmations;
  for (std::size_t i = 0; i < best_.entries().size(); ++i) {
    const std::int64_t trial = best_.entries()[i].trial;
    const Measurement& measurement = measured.configurations[i];
    if (measurement.valid()) {
      confirmations.push_back({trial, now, measurement.samples_seconds});
    } else {
      session_.observer.message(
          {MessageKind::Problem, fmt::format("trial {} was not confirmed: {}: {}", trial,
                                             to_string(measurement.category), measurement.message)});
    }
  }
  if (!measured.vendor.samples_seconds.empty()) {
    confirmations.push_back({-1, now, measured.vendor.samples_seconds});
  }
  return confirmations;
}

}  // namespace kernelscape
