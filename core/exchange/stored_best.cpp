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
  std::vector<trial::ConfirmationSpeed> confirmation_speeds;
  trial::Snapshot trials;  ///< with the machine's speed; empty without readings
  trial::ProbeSeconds usual{};

  analysis::BestInput input(analysis::MeasuredBest measured) const {
    return {std::move(measured), confirmations, confirmation_speeds, usual};
  }
};

Result<StoredResults> read_results(const store::Store& store, const store::SessionSummary& session) {
  StoredResults results;
  results.confirmations = TRY(store.confirmations(session.record.id));
  // Damaged baselines are reported where they are shown.
  if (auto baselines = trial::baselines_from_json(session.status.vendor_json))
    results.confirmation_speeds = std::move(baselines->confirmation_speeds);
  results.usual = session.record.usual_probe;
  if (!results.usual.known()) return results;
  store::TrialsWithSpeeds read = TRY(store::read_trials(store, session.record));
  results.trials = std::move(read.trials);
  if (read.speeds) results.usual = read.speeds->usual;
  return results;
}

analysis::MeasuredBest measured_of(const store::SessionStatus& status) {
  return {.trial = status.best_trial, .value = analysis::median_value({.median = status.best_seconds})};
}

analysis::BestResult best_of(const StoredResults& results, const store::SessionStatus& status) {
  if (results.trials.size() > 0)
    return analysis::best_result(results.input(analysis::best_measured(results.trials)));
  return analysis::best_result(results.input(measured_of(status)));
}

/** Returns a trial with its time, corrected if it was measured in a slow phase. */
Result<analysis::MeasuredBest> measured_trial(const store::Store& store, store::SessionId id,
                                              const StoredResults& results, std::int64_t number) {
  const trial::Trial trial = TRY(store.trial(id, number));
  analysis::MeasuredBest measured{.trial = number,
                                  .row = analysis::row_of_trial(results.trials, number),
                                  .value = analysis::trial_value(trial.measurement)};
  if (measured.row == analysis::no_row) return measured;
  measured.machine = results.trials.row(measured.row).machine;
  if (measured.machine.slow_phase)
    measured.value = analysis::corrected(measured.value, measured.machine.correction);
  return measured;
}

}  // namespace

Result<analysis::BestResult> read_best(const store::Store& store, const store::SessionSummary& session) {
  return best_of(TRY(read_results(store, session)), session.status);
}

analysis::BestResult best_of_status(const store::SessionStatus& status) {
  return analysis::best_result({.measured = measured_of(status)});
}

Result<analysis::BestResult> read_result(const store::Store& store, const store::SessionSummary& session,
                                         std::int64_t trial) {
  const StoredResults results = TRY(read_results(store, session));
  const analysis::BestResult best = best_of(results, session.status);
  if (best.trial == trial) return best;
  return analysis::trial_result(results.input(TRY(measured_trial(store, session.record.id, results, trial))));
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
