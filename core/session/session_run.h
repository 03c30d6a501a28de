#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/session/batch.h"
#include "core/session/session.h"

namespace kernelscape {

/** One process's run of a session that it owns; its parts stand in the files named below. */
class SessionRun {
 public:
  /** @param setup with its batch size; @param earlier the stored status of a resumed session, else a fresh
   * one */
  SessionRun(Store& store, SessionId id, const SessionSetup& setup, const SessionTools& tools,
             BudgetPlan plan, const SessionStatus& earlier, std::vector<Store::StoredBatch> stored);

  /** Replays, goes on to an end and stores how it ended. */
  Result<SessionOutcome> run();

 private:
  struct Ending {
    SessionState state = SessionState::Done;
    std::string reason;
  };

  struct FirstValidSearch {
    std::optional<Configuration> configuration;
    std::string reason;  ///< why it is none, or not surely the first; empty: it is the first
  };

  struct Replayed {
    std::optional<Batch> unfinished;
    bool stopped = false;
  };

  // session_run.cpp
  Result<Replayed> begin();
  Status make_tuner();
  Status survey();
  Result<Ending> go_on(std::optional<Batch> batch);
  std::optional<std::string> budget_reached() const;
  bool out_of_time() const;
  Result<std::variant<Batch, Finished>> propose();
  Status observe(const Batch& batch);
  Error pause(Error error);

  // replay.cpp
  class RowsByNumber;
  Result<Replayed> replay();
  Result<Batch> replay_batch(const Store::StoredBatch& stored, const RowsByNumber& rows);
  Status replay_proposal(const Batch& batch);
  Status replay_observation(const Batch& batch, std::int64_t series_end);

  // batch_measurement.cpp
  Result<BatchEnd> measure(Batch& batch);
  std::vector<std::size_t> affordable(std::vector<std::size_t> positions) const;
  Result<BatchEnd> measure_missing(Batch& batch, const std::vector<std::size_t>& positions);
  Result<std::vector<Completed>> collect();
  Status commit(Batch& batch, const std::vector<std::size_t>& positions, std::vector<Completed> completed);

  // ending.cpp
  Result<SessionOutcome> finish(const Ending& ending);
  Result<bool> needs_confirmation() const;
  Status confirm();
  Status tell_out_of_time(const Confirmations& measured, double most_seconds);
  Status store_confirmations(const Confirmations& measured);

  // first_valid.cpp
  Result<FirstValidSearch> find_first_valid();
  Result<std::vector<std::optional<ErrorCategory>>> probe(std::span<const Configuration> configurations,
                                                          double end_seconds);

  void enter(SessionPhase phase);
  const SessionStatus& status_now();
  std::vector<StoredSeries> series_of(const Batch& batch) const;
  double flops() const { return setup_.task.flops(); }

  Store& store_;
  SessionId id_;
  const SessionSetup& setup_;
  const SessionTools& tools_;
  BudgetPlan plan_;
  SessionStatus status_;
  std::vector<Store::StoredBatch> stored_;
  double charged_search_seconds_;  ///< what the stored batches carry
  Accounting accounting_;
  std::unique_ptr<Tuner> tuner_;
  BestTrials best_;
  std::int64_t proposed_ = 0;  ///< candidates of all batches
  std::int32_t batches_ = 0;
  bool measured_ = false;  ///< this run added a trial
  SessionState state_on_error_ = SessionState::Interrupted;
};

}  // namespace kernelscape
