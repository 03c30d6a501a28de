#include "core/session/best_confirmation.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/session/confirmed_vendor.h"
#include "core/session/first_valid_search.h"
#include "core/session/remeasure_limits.h"
#include "core/session/time_limits.h"
#include "core/session/uncertain_trials.h"
#include "core/trial/failure_text.h"

namespace kernelscape::session {

Status BestConfirmation::confirm_best(bool measured) {
  if (!TRY(needed(measured))) return {};
  if (const Status confirmed = confirm(); !confirmed)
    session_.observer.message({MessageKind::Problem, "the best trials could not be measured again: " +
                                                         describe(confirmed.error())});
  return {};
}

Result<bool> BestConfirmation::needed(bool measured) const {
  if (best_.entries().empty()) return false;
  if (measured) return true;
  const std::vector<trial::Confirmation> confirmations = TRY(session_.store.confirmations().of(session_.id));
  return std::ranges::find(confirmations, best_.entries().front().trial, &trial::Confirmation::trial) ==
         confirmations.end();
}

Status BestConfirmation::confirm() {
  session_.enter(Phase::Confirming);
  trial::Baselines baselines =
      trial::baselines_from_json(session_.status.vendor_json).value_or(trial::Baselines());
  baselines.first_valid.reset();
  FoundFirstValid search = TRY(FirstValidSearch(session_, tools_.measurer, accounting_).find());
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

Result<measure::Confirmations> BestConfirmation::measure_again(
    std::span<const space::Configuration> configurations, double max_seconds) {
  machines_.report_usual_speeds();
  return tools_.confirmer(configurations, session_.stop, max_seconds);
}

Result<BestConfirmation::Entries> BestConfirmation::trials_to_confirm() const {
  Entries trials = best_.entries();
  append_missing(trials, TRY(uncertain()));
  return trials;
}

Result<BestConfirmation::Entries> BestConfirmation::uncertain() const {
  if (machines_.tracks().phases().empty()) return Entries();
  Entries trials = TRY(uncertain_trials(session_.store, session_.id, machines_.tracks()));
  std::erase_if(trials,
                [this](const BestTrials::Entry& entry) { return measured_again_.contains(entry.trial); });
  return trials;
}

void BestConfirmation::confirm_uncertain() {
  if (!tools_.confirmer || session_.stop.level() > 0 || session_.out_of_time() || machines_.tracks().slow())
    return;
  Result<Entries> trials = uncertain();
  if (trials && trials->empty()) return;
  if (trials && trials->size() > BestTrials::most) trials->resize(BestTrials::most);
  const Status measured = trials ? confirm_uncertain(*trials) : std::unexpected(trials.error());
  if (measured || session_.stop.level() > 0) return;
  session_.observer.message({MessageKind::Problem, "trials of a slow phase could not be measured again: " +
                                                       describe(measured.error())});
}

Status BestConfirmation::confirm_uncertain(const Entries& trials) {
  session_.enter(Phase::Confirming);
  std::vector<space::Configuration> configurations;
  for (const BestTrials::Entry& trial : trials) configurations.push_back(trial.configuration);
  accounting_.begin_measuring();
  const double max_seconds = measuring_again_seconds(accounting_.session_seconds());
  measure::Confirmations measured = TRY(measure_again(configurations, max_seconds));
  accounting_.charge(measured.busy);
  if (measured.interrupted || measured.rounds == 0 || measured.slow) return {};
  const std::string now = base::utc_now();
  trial::Baselines baselines =
      trial::baselines_from_json(session_.status.vendor_json).value_or(trial::Baselines());
  add_machine(baselines, measured, now);
  const bool with_vendor = take_vendor(baselines, measured, now);
  session_.status.vendor_json = trial::baselines_to_json(baselines);
  for (std::size_t i = 0; i < trials.size() && i < measured.configurations.size(); ++i) {
    const trial::Measurement& again = measured.configurations[i];
    measured_again_.insert(trials[i].trial);
    if (again.valid()) best_.add({trials[i].trial, again.median_seconds(), trials[i].configuration});
  }
  session_.set_best(best_);
  TRY(session_.store.confirmations().append(session_.id,
                                            confirmations_of(trials, measured, with_vendor, now)));
  return session_.store.sessions().update_status(session_.id, session_.status_now());
}

void BestConfirmation::notify_unused(const measure::Confirmations& measured) const {
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

Status BestConfirmation::notify_out_of_time(const measure::Confirmations& measured,
                                            double max_seconds) const {
  if (measured.rounds == 0)
    return fail(ErrorCode::Environment,
                fmt::format("it took longer than {}", base::duration_text(max_seconds)));
  session_.observer.message(
      {MessageKind::Problem,
       fmt::format("the best trials were measured again in {} round{} only: it took longer than {}",
                   measured.rounds, measured.rounds == 1 ? "" : "s", base::duration_text(max_seconds))});
  return {};
}

std::vector<trial::Confirmation> BestConfirmation::confirmations_of(const Entries& trials,
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
