#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/session/batch.h"
#include "core/session/session.h"
#include "core/session/session_clock.h"

namespace kernelscape {

/** What earlier runs of a session left; of a new one nothing. */
struct EarlierRuns {
  SessionStatus status{};
  bool catches_up = false;  ///< with these batches: until then the session stays what it was
  /** What the tuner has to propose again. A replayed batch that the budget cut is stored in pieces. */
  std::vector<Store::StoredBatch> batches{};
};

/** A session while a process runs it: what its engine and its batches share. */
struct RunningSession {
  Store& store;
  SessionId id = 0;
  const SessionSetup& setup;  ///< with its batch size
  SessionObserver& observer;
  const StopRequest& stop;
  SessionClock& clock;
  BudgetPlan plan;  ///< raised to the setup's budget once the session has caught up
  EarlierRuns earlier;
  SessionStatus status{};  ///< the four times are those of the last status_now()

  /** With the times up to now. */
  const SessionStatus& status_now() {
    clock.write(status);
    return status;
  }
  void enter(SessionPhase phase) { observer.phase_changed(phase, status_now()); }  ///< told, nothing else
  double flops() const { return setup.task.flops(); }                              ///< 0: not known
  /** The minutes of the budget are over. */
  bool out_of_time() const {
    return plan.budget.minutes > 0 && clock.session_seconds() >= budget_seconds(plan.budget);
  }
  /** How many of `wanted` trials more the budget leaves. */
  std::size_t affordable(std::size_t wanted) const {
    if (plan.budget.trials == 0) return wanted;
    const std::int64_t left = std::max<std::int64_t>(0, plan.budget.trials - status.trial_count);
    return std::min(wanted, static_cast<std::size_t>(left));
  }
};

/**
 * What becomes of a session's batches: where measurements come from, and how they are stored. One batch is in
 * progress at a time, from begin() until it was observed.
 */
class SessionBatches {
 public:
  virtual ~SessionBatches() = default;

  /** The batch in progress is this one. @return whether all of it are members */
  virtual bool begin(const Batch& batch) = 0;
  /** It is not new: takes its trials that are stored. @return whether these are all of it; Refused where
   * `stored`, one more piece of it, differs */
  virtual Result<bool> take_stored(const Batch& batch, const Store::StoredBatch& stored) = 0;
  /** It is new: what resume compares with is kept, and its search is charged. */
  virtual Status store(const Batch& batch) = 0;
  /** Measures what is missing of it, and stores it at once or with later batches. */
  virtual Result<BatchEnd> measure(const Batch& batch) = 0;
  /** In proposal order, valid until the next batch. @param batch complete; its configurations may be moved
   * out of it */
  virtual std::span<const Observation> observations(Batch& batch) = 0;
  /** Whether what the tuner reports of this batch's trials is wanted. */
  virtual bool takes_series() const { return true; }
  /** The tuner has observed it. @param series what it reported of its trials */
  virtual Status observed(const Batch& batch, std::vector<StoredSeries> series) = 0;

  /** Before the session's time begins: what its trials are compared with is measured. */
  virtual Status survey() { return {}; }
  /** The session's time passes: nothing more is stored of earlier runs. */
  virtual void started() = 0;
  /** The tuner is about to compute. */
  virtual void searching() {}
  /** Distinct configurations, if all trials so far failed in the same way; else 0, as of a recorded space,
   * whose failures are data. */
  virtual std::int64_t identical_failures() const { return 0; }
  /** The session comes to this end, which is stored next. */
  virtual Status conclude(SessionState end) = 0;
  /** How far it came, once the end is stored; of trials that were not told one by one. */
  virtual void tell_progress() {}
  /** After an error: stores what is left to store. The status is then that of what is stored. */
  virtual void settle() = 0;
};

}  // namespace kernelscape
