#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/session/batches.h"
#include "core/session/tuner_checkpoint.h"

namespace kernelscape::session {

/**
 * Runs a session that this process owns, measured or replayed: asks the tuner for batches, passes them to
 * Batches, and reports the results to the tuner, until the session ends.
 */
class Engine {
 public:
  /**
   * @param session, batches, kept must outlive the engine
   * @param kept keeps the tuner for the next run in this process; null: the tuner is not kept
   */
  Engine(RunningSession& session, Batches& batches, TunerCheckpoint* kept = nullptr)
      : session_(session), batches_(batches), kept_(kept) {}

  /** Catches up with the stored batches, runs the session to an end and stores how it ended. */
  Result<Outcome> run();

 private:
  struct Ending {
    store::SessionState state = store::SessionState::Done;
    std::string reason;
  };

  /** @return true after catching up with everything stored; false: stopped before */
  Result<bool> begin();
  Status make_tuner();
  /** Makes the tuner that continues once the setup's starts were measured. */
  Status complete_started_tuner();
  /** @return true if a kept tuner was found that has observed exactly the stored batches */
  bool take_kept_tuner();
  void keep_tuner();
  Result<bool> catch_up();
  Result<Outcome> leave(const Result<bool>& begun);

  Status start();
  Status raise_budget();
  Result<Ending> keep_going();
  /** @return how the session ends; nullopt: there is a batch */
  Result<std::optional<Ending>> next_batch();
  std::optional<std::string> budget_reached() const;
  Ending stopped() const;
  Ending ending_within(BatchEnd end) const;

  /** @return why the tuner ended; nullopt: there is a batch */
  Result<std::optional<std::string>> propose();
  /** Sets the batch in progress. @return true if all candidates are members of the space */
  bool take_batch(std::vector<space::Configuration> candidates);
  Status observe();
  std::vector<store::StoredSeries> series_of_batch() const;

  Result<Outcome> finish(const Ending& ending);
  Error pause(Error error);

  RunningSession& session_;
  Batches& batches_;
  TunerCheckpoint* kept_;
  bool was_kept_ = false;  ///< the tuner has observed the stored batches
  std::unique_ptr<tuner::Tuner> tuner_;
  Batch batch_;                ///< in progress
  bool unfinished_ = false;    ///< the last stored batch is in progress, and some of its trials are missing
  std::int64_t proposed_ = 0;  ///< candidates in all batches
  std::int32_t batch_count_ = 0;  ///< proposed batches
  std::int32_t observed_count_ = 0;
  store::SessionState state_on_error_ = store::SessionState::Interrupted;
};

}  // namespace kernelscape::session
