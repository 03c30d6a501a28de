#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/session/batch.h"
#include "core/session/clock.h"
#include "core/session/session.h"

namespace kernelscape::session {

/** State that earlier runs of a session left; empty for a new session. */
struct EarlierRuns {
  store::SessionStatus status{};
  bool catches_up = false;  ///< with `batches`; until then the stored session does not change
  /**
   * Batches that the tuner has to propose again. A replayed batch that the budget cut is stored in pieces.
   */
  std::vector<store::StoredBatch> batches{};
};

/** The state of a running session that its engine and its batches share. */
struct RunningSession {
  store::Store& store;
  store::SessionId id = 0;
  const Setup& setup;  ///< with its batch size
  Observer& observer;
  const StopRequest& stop;
  SessionClock& clock;
  trial::BudgetPlan plan;  ///< raised to the setup's budget once the session has caught up
  EarlierRuns earlier;
  store::SessionStatus status{};  ///< its four times are those of the last status_now()

  /** Returns the status with the times up to now. */
  const store::SessionStatus& status_now() {
    clock.write(status);
    return status;
  }
  /** Sets the best trial of the status. Without a valid trial the status stays as it is. */
  void set_best(const BestTrials& best) {
    if (best.entries().empty()) return;
    status.best_trial = best.entries().front().trial;
    status.best_seconds = best.entries().front().seconds;
  }
  void enter(Phase phase) { observer.phase_changed(phase, status_now()); }  ///< only notifies the observer
  double flops() const { return setup.task.flops(); }                       ///< 0: not known
  /** Returns true if the minutes of the budget are over. */
  bool out_of_time() const {
    return plan.budget.minutes > 0 && clock.session_seconds() >= trial::budget_seconds(plan.budget);
  }
  /** Returns how many of `wanted` further trials the budget allows. */
  std::size_t affordable(std::size_t wanted) const {
    if (plan.budget.trials == 0) return wanted;
    const std::int64_t left = std::max<std::int64_t>(0, plan.budget.trials - status.trial_count);
    return std::min(wanted, static_cast<std::size_t>(left));
  }
};

/**
 * Measures and stores the batches of a session. One batch is in progress at a time, from begin() to
 * observed().
 */
class Batches {
 public:
  virtual ~Batches() = default;

  /** Begins a batch. @return true if all candidates are members of the space */
  virtual bool begin(const Batch& batch) = 0;
  /**
   * Takes the stored trials of a batch that is not new.
   * @return true if all its trials are stored; Refused if `stored`, a further piece of the batch, differs
   */
  virtual Result<bool> take_stored(const Batch& batch, const store::StoredBatch& stored) = 0;
  /** Stores the candidates of a new batch, with which a resumed run compares, and charges its search time. */
  virtual Status store(const Batch& batch) = 0;
  /** Measures the missing trials of a batch, and stores them at once or with later batches. */
  virtual Result<BatchEnd> measure(const Batch& batch) = 0;
  /**
   * Returns the observations in proposal order, valid until the next batch.
   * @param batch a complete batch; its configurations may be moved out
   */
  virtual std::span<const trial::Observation> observations(Batch& batch) = 0;
  /** Returns true if the series that the tuner reports for this batch should be stored. */
  virtual bool takes_series() const { return true; }
  /**
   * Ends a batch that the tuner has observed.
   * @param series values that the tuner reported for its trials
   */
  virtual Status observed(const Batch& batch, std::vector<store::StoredSeries> series) = 0;

  /** Measures the baselines and limits, before the session's time begins. */
  virtual Status survey() { return {}; }
  /** Notifies that the session's time begins and that no stored batch of earlier runs is left. */
  virtual void started() = 0;
  /** Notifies that the tuner is about to compute. */
  virtual void searching() {}
  /**
   * Returns the number of distinct configurations if all trials so far failed in the same way; else 0, and
   * always 0 for a recorded space, whose failures are data.
   */
  virtual std::int64_t identical_failures() const { return 0; }
  /** Concludes the session with a state, which is stored next. */
  virtual Status conclude(store::SessionState end) = 0;
  /** Reports the final progress after the end is stored, if trials were not reported individually. */
  virtual void notify_progress() {}
  /** Stores what is left to store after an error. The status then matches the stored trials. */
  virtual void settle() = 0;
};

}  // namespace kernelscape::session
