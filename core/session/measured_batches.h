#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/session/first_failures.h"
#include "core/session/session_batches.h"

namespace kernelscape {

/**
 * Batches that a device measures; each trial is stored when it arrives. Comments below name the files that
 * implement the parts.
 */
class MeasuredBatches final : public SessionBatches {
 public:
  /** @param session, tools, accounting must outlive this object; the session's clock is `accounting` */
  MeasuredBatches(RunningSession& session, const SessionTools& tools, Accounting& accounting)
      : session_(session),
        tools_(tools),
        accounting_(accounting),
        failures_(session.setup.space, session.setup.budget.identical_failures) {}

  bool begin(const Batch& batch) override;
  Result<bool> take_stored(const Batch& batch, const Store::StoredBatch& stored) override;
  Status store(const Batch& batch) override;
  Result<BatchEnd> measure(const Batch& batch) override;
  std::span<const Observation> observations(Batch& batch) override;
  Status observed(const Batch& batch, std::vector<StoredSeries> series) override;
  Status survey() override;
  void started() override { stored_rows_ = std::vector<Store::ArrivedRow>(); }
  void searching() override { session_.enter(SessionPhase::Searching); }
  std::int64_t identical_failures() const override { return failures_.identical(); }
  Status conclude(SessionState end) override;
  void settle() override { session_.status_now(); }

 private:
  struct FirstValidSearch {
    std::optional<Configuration> configuration;
    std::string reason;  ///< why none was found, or it may not be the first; empty: it is the first
  };

  // measured_batches.cpp
  Status load_stored();
  Status take_stored_failure(const Store::ArrivedRow& row);
  const Store::ArrivedRow* stored_row(std::int64_t trial) const;
  std::vector<std::size_t> missing() const;

  // batch_measurement.cpp
  Result<BatchEnd> measure_missing(const Batch& batch, const std::vector<std::size_t>& positions);
  Result<std::vector<Completed>> collect();
  Status commit(const Batch& batch, const std::vector<std::size_t>& positions,
                std::vector<Completed> completed);
  /** Notifies the observer of the first failure before any success. */
  void notify_failure(const Trial& trial);

  // confirming.cpp
  Result<bool> needs_confirmation() const;
  Status confirm();
  Status notify_out_of_time(const Confirmations& measured, double max_seconds);
  /** Reports the configurations that could not be measured. */
  std::vector<Confirmation> confirmations_of(const Confirmations& measured) const;

  // first_valid.cpp
  Result<FirstValidSearch> find_first_valid();
  Result<std::vector<std::optional<ErrorCategory>>> probe(std::span<const Configuration> configurations,
                                                          double end_seconds);

  RunningSession& session_;
  const SessionTools& tools_;
  Accounting& accounting_;
  BestTrials best_;
  FirstFailures failures_;
  bool measured_ = false;  ///< this run added a trial

  // The batch in progress.
  std::vector<std::optional<Observation>> observed_;  ///< by position; nullopt: not measured
  std::vector<Observation> observations_;

  // Stored results to catch up with.
  std::vector<Store::ArrivedRow> stored_rows_;  ///< by trial number
  std::int64_t last_stored_series_ = -1;        ///< trial of the last stored series
};

}  // namespace kernelscape
