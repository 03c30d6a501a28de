#include <fmt/format.h>

#include <algorithm>

#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/session/session_run.h"
#include "core/session/time_limits.h"

namespace kernelscape {
Result<SessionOutcome> SessionRun::finish(const Ending& ending) {
  if (ending.state == SessionState::Done && tools_.confirmer && tools_.stop.level() == 0) {
    const bool wanted = TRY(needs_confirmation());
    const Status confirmed = wanted ? confirm() : Status();
    if (!confirmed) {
      tools_.observer.message({MessageKind::Problem, "the best trials could not be measured again: " +
                                                         describe(confirmed.error())});
    }
  }
  status_.state = ending.state;
  status_.state_reason = ending.reason;
  TRY(store_.update_status(id_, status_now()));
  if (ending.state == SessionState::Interrupted)
    TRY(store_.append_interruption(id_, status_.session_seconds, "stopped"));
  return SessionOutcome{id_, status_, tools_.stop.level() > 0};
}

/** What was confirmed before stands while no trial was added. */
Result<bool> SessionRun::needs_confirmation() const {
  if (best_.entries().empty()) return false;
  if (measured_) return true;
  const std::vector<Confirmation> confirmations = TRY(store_.confirmations(id_));
  return std::ranges::find(confirmations, best_.entries().front().trial, &Confirmation::trial) ==
         confirmations.end();
}

Status SessionRun::confirm() {
  enter(SessionPhase::Confirming);
  Result<Baselines> earlier = baselines_from_json(status_.vendor_json);
  Baselines baselines = earlier ? std::move(*earlier) : Baselines();
  baselines.first_valid.reset();
  FirstValidSearch search = TRY(find_first_valid());
  const std::optional<Configuration>& first = search.configuration;
  baselines.first_valid_reason = std::move(search.reason);
  std::vector<Configuration> configurations;
  for (const BestTrials::Entry& entry : best_.entries()) configurations.push_back(entry.configuration);
  if (first) configurations.push_back(*first);

  accounting_.begin_measuring();
  const double most_seconds = confirming_seconds(accounting_.session_seconds());
  Confirmations measured = TRY(tools_.confirmer(configurations, tools_.stop, most_seconds));
  accounting_.charge(measured.busy);
  if (measured.interrupted) return fail(ErrorCode::Refused, "stopped by the user");
  if (measured.out_of_time) TRY(tell_out_of_time(measured, most_seconds));
  if (measured.configurations.size() != configurations.size()) {
    return fail(ErrorCode::Internal, "the confirmation has another number of results than configurations");
  }
  TRY(store_confirmations(measured));
  baselines.vendor = std::move(measured.vendor);
  if (first) {
    Measurement& measurement = measured.configurations.back();
    if (measurement.valid()) {
      baselines.first_valid = FirstValid{*first, std::move(measurement.samples_seconds)};
    } else {
      baselines.first_valid_reason = measurement.message;
    }
  }
  status_.vendor_json = baselines_to_json(baselines);
  return {};
}

/** The error where not even one round was whole. */
Status SessionRun::tell_out_of_time(const Confirmations& measured, double most_seconds) {
  if (measured.rounds == 0)
    return fail(ErrorCode::Environment, fmt::format("it took longer than {}", duration_text(most_seconds)));
  tools_.observer.message(
      {MessageKind::Problem,
       fmt::format("the best were measured again in {} round{} only: it took longer than {}", measured.rounds,
                   measured.rounds == 1 ? "" : "s", duration_text(most_seconds))});
  return {};
}

Status SessionRun::store_confirmations(const Confirmations& measured) {
  const std::string now = utc_now();
  std::vector<Confirmation> confirmations;
  for (std::size_t i = 0; i < best_.entries().size(); ++i) {
    const std::int64_t trial = best_.entries()[i].trial;
    const Measurement& measurement = measured.configurations[i];
    if (measurement.valid()) {
      confirmations.push_back({trial, now, measurement.samples_seconds});
    } else {
      tools_.observer.message(
          {MessageKind::Problem, fmt::format("trial {} was not confirmed: {}: {}", trial,
                                             to_string(measurement.category), measurement.message)});
    }
  }
  if (!measured.vendor.samples_seconds.empty()) {
    confirmations.push_back({-1, now, measured.vendor.samples_seconds});
  }
  return store_.append_confirmations(id_, confirmations);
}

}  // namespace kernelscape
