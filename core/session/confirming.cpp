#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/best_result.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/session/confirmed_vendor.h"
#include "core/session/measured_batches.h"
#include "core/session/time_limits.h"
#include "core/session/uncertain_trials.h"
#include "core/store/stored_speeds.h"
#include "core/trial/failure_text.h"

namespace kernelscape::session {

/** Measures the best trials again. A failure loses the confirmation, not the session. */
Status MeasuredBatches::conclude(store::SessionState end) {
  report_phases(/*at_end=*/end == store::SessionState::Done);
  const bool confirms = end == store::SessionState::Done && tools_.confirmer && session_.stop.level() == 0;
  if (confirms && TRY(needs_confirmation())) {
    if (const Status confirmed = confirm(); !confirmed)
      session_.observer.message({MessageKind::Problem, "the best trials could not be measured again: " +
                                                           describe(confirmed.error())});
  }
  // The next round of a session that continues would read all trials again.
  if (session_.setup.continues && end == store::SessionState::Done) return {};
  if (const Status stored = store_measured_best(); !stored)
    session_.observer.message({MessageKind::Problem,
                               "the best trial could not be stored for lists, which read "
                               "all trials instead: " +
                                   describe(stored.error())});
  return {};
}

/** The final status is written by the caller. */
Status MeasuredBatches::store_measured_best() {
  if (!tracks_.usual().known() || session_.status.best_trial < 0) return {};
  Result<trial::Baselines> baselines = trial::baselines_from_json(session_.status.vendor_json);
  if (!baselines) return {};  // damaged ones are reported where they are shown
  const store::SessionRecord record = TRY(session_.store.sessions().get(session_.id)).record;
  const store::TrialsWithSpeeds read = TRY(store::read_trials(session_.store, record));
  const analysis::MeasuredBest best = analysis::best_measured(read.trials);
  if (!read.speeds || best.trial < 0) return {};
  baselines->measured_best = trial::StoredMeasuredBest{.trials = read.trials.size(),
                                                       .trial = best.trial,
                                                       .row = best.row,
                                                       .machine = best.machine,
                                                       .usual = read.speeds->usual};
  session_.status.vendor_json = trial::baselines_to_json(*baselines);
  return {};
}

/** An earlier confirmation remains valid while no trial is added. */
Result<bool> MeasuredBatches::needs_confirmation() const {
  if (best_.entries().empty()) return false;
  if (measured_) return true;
  const std::vector<trial::Confirmation> confirmations = TRY(session_.store.confirmations().of(session_.id));
  return std::ranges::find(confirmations, best_.entries().front().trial, &trial::Confirmation::trial) ==
         confirmations.end();
}

Status MeasuredBatches::confirm() {
  session_.enter(Phase::Confirming);
  trial::Baselines baselines =
      trial::baselines_from_json(session_.status.vendor_json).value_or(trial::Baselines());
  baselines.first_valid.reset();
  FirstValidSearch search = TRY(find_first_valid());
  const std::optional<space::Configuration>& first = search.configuration;
  baselines.first_valid_reason = std::move(search.reason);
  const Entries trials = TRY(trials_to_confirm());
  std::vector<space::Configuration> configurations;
  for (const BestTrials::Entry& trial : trials) configurations.push_back(trial.configuration);
  if (first) configurations.push_back(*first);

  accounting_.begin_measuring();
  const double max_seconds = confirming_seconds(accounting_.session_seconds());
  measure::Confirmations measured = TRY(measure_again(configurations, max_seconds));
  accounting_.charge(measured.busy);
  if (measured.interrupted) return fail(ErrorCode::Refused, "stopped by the user");
  if (measured.out_of_time) TRY(notify_out_of_time(measured, max_seconds));
  if (measured.configurations.size() != configurations.size()) {
    return fail(ErrorCode::Internal,
                "the confirmation returned a different number of results than configurations");
  }
  const std::string now = base::utc_now();
  const bool with_vendor = take_vendor(baselines, measured, now);
  const std::vector<trial::Confirmation> confirmations = confirmations_of(trials, measured, with_vendor, now);
  add_machine(baselines, measured, now);
  notify_unused(measured);
  baselines.limits =
      remeasure_limits(baselines.limits, session_.setup.task, measured.configurations, tools_.limits);
  if (first) {
    trial::Measurement& measurement = measured.configurations.back();
    if (measurement.valid())
      baselines.first_valid = trial::FirstValid{*first, std::move(measurement.samples_seconds)};
    else
      baselines.first_valid_reason = measurement.message;
  }
  session_.status.vendor_json = trial::baselines_to_json(baselines);
  // Before the confirmations, which are a sign that there is nothing left to measure: a process may die here.
  TRY(session_.store.sessions().update_status(session_.id, session_.status_now()));
  return session_.store.confirmations().append(session_.id, confirmations);
}

Result<measure::Confirmations> MeasuredBatches::measure_again(
    std::span<const space::Configuration> configurations, double max_seconds) {
  trial::WorkerUsualTimes usual;
  for (const auto& [name, number] : workers_)
    if (const trial::ProbeSeconds seconds = tracks_.usual_of(number); seconds.known()) usual[name] = seconds;
  if (tools_.worker_usual_known) tools_.worker_usual_known(usual);
  if (const trial::ProbeSeconds here = tracks_.usual_of(0); tools_.usual_speed_known && here.known())
    tools_.usual_speed_known({.seconds = here, .loaded = !usual_known_});
  return tools_.confirmer(configurations, session_.stop, max_seconds);
}

/** Returns the fastest trials by their own samples, then those of slow phases that may be faster. */
Result<MeasuredBatches::Entries> MeasuredBatches::trials_to_confirm() const {
  Entries trials = best_.entries();
  append_missing(trials, TRY(uncertain()));
  return trials;
}

void MeasuredBatches::notify_unused(const measure::Confirmations& measured) const {
  if (measured.dropped_rounds > 0) {
    session_.observer.message(
        {MessageKind::Machine,
         fmt::format("{} of {} rounds in which the best trials were measured again do not count: the machine "
                     "was slower than usual",
                     measured.dropped_rounds, measured.rounds)});
  }
  if (!measured.other_vendor.empty()) {
    session_.observer.message(
        {MessageKind::Note, fmt::format("samples of {} do not count: another worker chose {}, with which the "
                                        "best trials are compared",
                                        measured.other_vendor, trial::vendor_title(measured.vendor))});
  }
  if (!measured.slow) return;
  const std::string share = measured.machine_share > 0
                                ? fmt::format("at {:.2f} of its speed", measured.machine_share)
                                : "slower than usual";
  session_.observer.message(
      {MessageKind::Machine,
       fmt::format(
           "the machine ran {} while the best trials were measured again: their times are longer than "
           "usual",
           share)});
}

/** Returns the error if not even one round was completed. */
Status MeasuredBatches::notify_out_of_time(const measure::Confirmations& measured, double max_seconds) {
  if (measured.rounds == 0)
    return fail(ErrorCode::Environment,
                fmt::format("it took longer than {}", base::duration_text(max_seconds)));
  session_.observer.message(
      {MessageKind::Problem,
       fmt::format("the best trials were measured again in {} round{} only: it took longer than {}",
                   measured.rounds, measured.rounds == 1 ? "" : "s", base::duration_text(max_seconds))});
  return {};
}

std::vector<trial::Confirmation> MeasuredBatches::confirmations_of(const Entries& trials,
                                                                   const measure::Confirmations& measured,
                                                                   bool with_vendor,
                                                                   const std::string& now) const {
  std::vector<trial::Confirmation> confirmations;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const std::int64_t trial = trials[i].trial;
    const trial::Measurement& measurement = measured.configurations[i];
    if (measurement.valid()) {
      confirmations.push_back({trial, now, measurement.samples_seconds});
    } else {
      session_.observer.message(
          {MessageKind::Problem,
           fmt::format("trial {} was not confirmed: {}: {}", trial, trial::to_string(measurement.category),
                       trial::failure_text(measurement.category, measurement.message).text)});
    }
  }
  if (with_vendor) confirmations.push_back({-1, now, measured.vendor.samples_seconds});
  return confirmations;
}

}  // namespace kernelscape::session
