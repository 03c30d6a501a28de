#include "core/exchange/stored_best.h"

#include <utility>
#include <vector>

#include "core/store/stored_speeds.h"
#include "core/trial/baselines.h"

namespace kernelscape::exchange {
namespace {

/** What is stored about the results of a session. */
struct StoredResults {
  std::vector<trial::Confirmation> confirmations;
  trial::Baselines baselines;
  trial::Snapshot trials;  ///< with the machine's speed; empty if they were not read
  trial::ProbeSeconds usual{};

  analysis::BestInput input(analysis::MeasuredBest measured) const {
    return {std::move(measured), confirmations, baselines.confirmation_speeds, usual};
  }
  /** Returns the best trial that the status names; null: there is none for the present trials. */
  const trial::StoredMeasuredBest* known_best(const store::SessionStatus& status) const {
    const auto& best = baselines.measured_best;
    return best && best->trials == status.trial_count ? &*best : nullptr;
  }
};

/** Reads the trials if slow phases can be found in them, which needs readings in order of time. */
Status read_trials_of(const store::Store& store, const store::SessionRecord& record, StoredResults& results) {
  const bool in_time_order =
      record.kind == store::SessionKind::Measured || record.kind == store::SessionKind::Imported;
  if (!in_time_order || !TRY(store.trials().has_probes(record.id))) return {};
  store::TrialsWithSpeeds read = TRY(store::read_trials(store, record));
  results.trials = std::move(read.trials);
  if (read.speeds) results.usual = read.speeds->usual;
  return {};
}

/** @param all false: trials are read only if the status does not name the best one */
Result<StoredResults> read_results(const store::Store& store, const store::SessionSummary& session,
                                   bool all) {
  StoredResults results;
  results.confirmations = TRY(store.confirmations().of(session.record.id));
  // Damaged baselines are reported where they are shown.
  if (auto baselines = trial::baselines_from_json(session.status.vendor_json))
    results.baselines = std::move(*baselines);
  results.usual = session.record.usual_probe;
  const trial::StoredMeasuredBest* best = results.known_best(session.status);
  if (best != nullptr) results.usual = best->usual;
  const bool wanted = best == nullptr && session.status.best_trial >= 0;  // else no trial is valid
  if (all || wanted) TRY(read_trials_of(store, session.record, results));
  return results;
}

analysis::MeasuredBest measured_of(const store::SessionStatus& status) {
  return {.trial = status.best_trial, .value = analysis::median_value({.median = status.best_seconds})};
}

/** Returns a trial with its time, corrected if it was measured in a slow phase. */
Result<analysis::MeasuredBest> measured_trial(const store::Store& store, store::SessionId id,
                                              std::int64_t number, std::int64_t row,
                                              const trial::Speed& machine) {
  const trial::Trial trial = TRY(store.trials().get(id, number));
  analysis::MeasuredBest measured{
      .trial = number, .row = row, .value = analysis::trial_value(trial.measurement), .machine = machine};
  if (machine.slow_phase) measured.value = analysis::corrected(measured.value, machine.correction);
  return measured;
}

Result<analysis::BestResult> best_of(const store::Store& store, const store::SessionSummary& session,
                                     const StoredResults& results) {
  if (results.trials.size() > 0)
    return analysis::best_result(results.input(analysis::best_measured(results.trials)));
  const trial::StoredMeasuredBest* best = results.known_best(session.status);
  if (best == nullptr) return analysis::best_result(results.input(measured_of(session.status)));
  return analysis::best_result(
      results.input(TRY(measured_trial(store, session.record.id, best->trial, best->row, best->machine))));
}

}  // namespace

Result<analysis::BestResult> read_best(const store::Store& store, const store::SessionSummary& session) {
  return best_of(store, session, TRY(read_results(store, session, /*all=*/false)));
}

analysis::BestResult best_of_status(const store::SessionStatus& status) {
  return analysis::best_result({.measured = measured_of(status)});
}

Result<analysis::BestResult> read_result(const store::Store& store, const store::SessionSummary& session,
                                         std::int64_t trial) {
  const StoredResults results = TRY(read_results(store, session, /*all=*/true));
  const analysis::BestResult best = TRY(best_of(store, session, results));
  if (best.trial == trial) return best;
  const std::int64_t row = analysis::row_of_trial(results.trials, trial);
  const trial::Speed machine = row == analysis::no_row ? trial::Speed() : results.trials.row(row).machine;
  return analysis::trial_result(
      results.input(TRY(measured_trial(store, session.record.id, trial, row, machine))));
}

std::string result_mark(const store::SessionRecord& record, const analysis::BestResult& best) {
  switch (record.kind) {
    case store::SessionKind::Measured:
      return analysis::best_mark(best);
    case store::SessionKind::Replayed:
    case store::SessionKind::Recorded:
      return "recorded";
    case store::SessionKind::Imported:
      return "imported";
  }
  return {};
}

}  // namespace kernelscape::exchange
