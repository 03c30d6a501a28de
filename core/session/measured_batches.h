#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/session/batches.h"
#include "core/session/best_confirmation.h"
#include "core/session/first_failures.h"
#include "core/session/machine_watch.h"
#include "core/session/stored_trials.h"

namespace kernelscape::session {

/** Batches that a device measures; each trial is stored when it arrives. */
class MeasuredBatches final : public Batches {
 public:
  /** @param session, tools, accounting must outlive this object; the session's clock is `accounting` */
  MeasuredBatches(RunningSession& session, const Tools& tools, Accounting& accounting)
      : session_(session),
        tools_(tools),
        accounting_(accounting),
        machines_(session, tools, accounting),
        confirmation_(session, tools, accounting, machines_, best_),
        failures_(session.setup.space, session.setup.budget.identical_failures) {}
  MeasuredBatches(const MeasuredBatches&) = delete;  // its parts refer to each other
  MeasuredBatches& operator=(const MeasuredBatches&) = delete;

  bool begin(const Batch& batch) override;
  Result<bool> take_stored(const Batch& batch, const store::StoredBatch& stored) override;
  Status store(const Batch& batch) override;
  Result<BatchEnd> measure(const Batch& batch) override;
  std::span<const trial::Observation> observations(Batch& batch) override;
  Status observed(const Batch& batch, std::vector<store::StoredSeries> series) override;
  Status survey() override;
  void started() override;
  void searching() override { session_.enter(Phase::Searching); }
  std::int64_t identical_failures() const override { return failures_.identical(); }
  Status conclude(store::SessionState end) override;
  void settle() override { session_.status_now(); }

 private:
  /** A row of the batch in progress, and its place in the order of arrival. */
  struct BatchRow {
    trial::Row row;
    std::int64_t arrival = 0;
  };

  Status load_stored();
  /** Counts a failure that an earlier run of the session reported. */
  Status take_stored_failure(const store::ArrivedRow& row);
  void add_row(std::size_t position, const trial::Row& row);
  /** Returns the positions that were not measured, ascending. */
  std::vector<std::size_t> missing() const;

  Result<BatchEnd> measure_missing(const Batch& batch, const std::vector<std::size_t>& positions);
  /** Stores results as trials. @param positions in the batch, by position in the measured configurations */
  Status commit(const Batch& batch, const std::vector<std::size_t>& positions,
                std::vector<measure::Completed> completed);
  /** Adds the results of `completed` to the batch and returns their trials. */
  Result<std::vector<trial::Trial>> add_results(const Batch& batch, const std::vector<std::size_t>& positions,
                                                std::vector<measure::Completed> completed);
  /** Notifies the observer of the first failure before any success. */
  void notify_failure(const trial::Trial& trial);
  /** Stores the best trial by own samples, so that lists need not read all trials. */
  Status store_measured_best();

  RunningSession& session_;
  const Tools& tools_;
  Accounting& accounting_;
  MachineWatch machines_;
  BestTrials best_;
  BestConfirmation confirmation_;
  FirstFailures failures_;
  StoredTrials stored_;                        ///< to catch up with
  std::vector<std::optional<BatchRow>> rows_;  ///< of the batch in progress; nullopt: not measured
  std::vector<trial::Observation> observations_;
  bool measured_ = false;  ///< this run added a trial
};

}  // namespace kernelscape::session
