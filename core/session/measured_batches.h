#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/session/batches.h"
#include "core/session/condition_log.h"
#include "core/session/first_failures.h"
#include "core/trial/worker_tracks.h"

namespace kernelscape::session {

/**
 * Batches that a device measures; each trial is stored when it arrives. Comments below name the files that
 * implement the parts.
 */
class MeasuredBatches final : public Batches {
 public:
  /** @param session, tools, accounting must outlive this object; the session's clock is `accounting` */
  MeasuredBatches(RunningSession& session, const Tools& tools, Accounting& accounting)
      : session_(session),
        tools_(tools),
        accounting_(accounting),
        failures_(session.setup.space, session.setup.budget.identical_failures) {}

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
  struct FirstValidSearch {
    std::optional<space::Configuration> configuration;
    std::string reason;  ///< why none was found, or it may not be the first; empty: it is the first
  };

  /** A row of the batch in progress, and its place in the order of arrival. */
  struct BatchRow {
    trial::Row row;
    std::int64_t arrival = 0;
  };
  struct StoredRow {
    store::ArrivedRow row;
    std::int64_t arrival = 0;
  };
  using Entries = std::vector<BestTrials::Entry>;

  // measured_batches.cpp
  Status load_stored();
  Status take_stored_failure(const store::ArrivedRow& row);
  const StoredRow* stored_row(std::int64_t trial) const;
  void add_row(std::size_t position, const trial::Row& row);
  std::vector<std::size_t> missing() const;

  // batch_measurement.cpp
  Result<BatchEnd> measure_missing(const Batch& batch, const std::vector<std::size_t>& positions);
  Result<std::vector<measure::Completed>> collect();
  Status commit(const Batch& batch, const std::vector<std::size_t>& positions,
                std::vector<measure::Completed> completed);
  std::uint16_t worker_number(const std::string& worker);
  void rank(const trial::Trial& trial);
  void store_best();
  /** Notifies the observer of the first failure before any success. */
  void notify_failure(const trial::Trial& trial);

  // confirming.cpp
  Result<bool> needs_confirmation() const;
  Status confirm();
  Result<Entries> trials_to_confirm() const;
  /** Calls the confirmer after notifying it of what the session knows of the machines' usual speed. */
  Result<measure::Confirmations> measure_again(std::span<const space::Configuration> configurations,
                                               double max_seconds);
  Status notify_out_of_time(const measure::Confirmations& measured, double max_seconds);
  /** Reports the configurations that could not be measured. @param with_vendor also those of the vendor */
  std::vector<trial::Confirmation> confirmations_of(const Entries& trials,
                                                    const measure::Confirmations& measured, bool with_vendor,
                                                    const std::string& now) const;
  void notify_unused(const measure::Confirmations& measured) const;
  /** Stores the best trial by own samples, so that lists need not read all trials. */
  Status store_measured_best();

  // slow_phases.cpp
  Status find_usual_probe();
  void notify_no_probe() const;
  void set_usual_probe(const trial::ProbeSeconds& usual);
  double device_best_seconds() const;
  void show_waiting(const measure::BatchProgress& progress);
  void read_conditions(const measure::BatchProgress& progress);
  std::string explain(const trial::SlowPhase& phase) const;
  bool report_phases(bool at_end);
  bool reported(const trial::SlowPhase& phase) const;
  Result<Entries> uncertain() const;
  void measure_uncertain_again();
  Status confirm_uncertain(const Entries& trials);

  // first_valid.cpp
  Result<FirstValidSearch> find_first_valid();
  Result<std::vector<std::optional<trial::ErrorCategory>>> probe(
      std::span<const space::Configuration> configurations, double end_seconds);

  RunningSession& session_;
  const Tools& tools_;
  Accounting& accounting_;
  BestTrials best_;
  FirstFailures failures_;
  bool measured_ = false;  ///< this run added a trial

  // The machine's speed. Only readings that are stored count, so that a resumed session observes the same.
  trial::WorkerTracks tracks_{{}, trial::KernelBound::Unknown};
  std::map<std::string, std::uint16_t> workers_;             ///< of a fleet
  std::vector<trial::SlowPhase> reported_;                   ///< phases of which the observer was notified
  std::set<std::int64_t> measured_again_;                    ///< trials, by this run
  ConditionLog conditions_;                                  ///< of this machine
  std::map<std::uint16_t, ConditionLog> worker_conditions_;  ///< of a fleet's workers, see Row::worker
  bool usual_known_ = false;                                 ///< the usual times are stored with the session
  std::optional<double> waits_at_;  ///< lowest speed of the slow machine that is waited for, if one is
  double reported_waiting_seconds_ =
      0;  ///< of Accounting::waiting_seconds, of which the observer was notified

  // The batch in progress.
  std::vector<std::optional<BatchRow>> rows_;  ///< by position; nullopt: not measured
  std::vector<trial::Observation> observations_;

  // Stored results to catch up with.
  std::vector<StoredRow> stored_rows_;    ///< by trial number
  std::int64_t last_stored_series_ = -1;  ///< trial of the last stored series
};

}  // namespace kernelscape::session
