#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/session/kept_search.h"
#include "core/session/session_batches.h"

namespace kernelscape {

/** One process's run of a session that it owns, measured or replayed: asks the tuner, hands its batches on,
 * tells it what became of them, and ends. */
class SessionEngine {
 public:
  /** @param session, batches, kept outlive it @param kept takes the tuner at the end, and gives it back in
   * the next run; null: nothing is kept */
  SessionEngine(RunningSession& session, SessionBatches& batches, KeptSearch* kept = nullptr)
      : session_(session), batches_(batches), kept_(kept) {}

  /** Catches up with what is stored, goes on to an end and stores how it ended. */
  Result<SessionOutcome> run();

 private:
  struct Ending {
    SessionState state = SessionState::Done;
    std::string reason;
  };

  /** @return whether all that is stored is there again; false: stopped before */
  Result<bool> begin();
  Status make_tuner();
  /** Makes the tuner that continues once the setup's starts were measured. */
  Status complete_started_tuner();
  /** @return whether a tuner was kept that has observed just what is stored */
  bool take_kept_tuner();
  void keep_tuner();
  Result<bool> catch_up();
  Result<SessionOutcome> leave(const Result<bool>& begun);

  Status start();
  Status raise_budget();
  Result<Ending> go_on();
  /** @return how the session ends instead; none: there is a batch */
  Result<std::optional<Ending>> next_batch();
  std::optional<std::string> budget_reached() const;
  Ending ending_within(BatchEnd end) const;

  /** @return why the tuner ended; none: there is a batch */
  Result<std::optional<std::string>> propose();
  /** The batch in progress. @return whether all of it are members of the space */
  bool take_batch(std::vector<Configuration> candidates);
  Status observe();
  std::vector<StoredSeries> series_of_batch() const;

  Result<SessionOutcome> finish(const Ending& ending);
  Error pause(Error error);

  RunningSession& session_;
  SessionBatches& batches_;
  KeptSearch* kept_;
  bool was_kept_ = false;  ///< the tuner knows what is stored
  std::unique_ptr<Tuner> tuner_;
  Batch batch_;                   ///< in progress
  bool unfinished_ = false;       ///< the last stored batch is in progress, and trials of it are missing
  std::int64_t proposed_ = 0;     ///< candidates of all batches
  std::int32_t batch_count_ = 0;  ///< proposed
  std::int32_t observed_count_ = 0;
  SessionState state_on_error_ = SessionState::Interrupted;
};

}  // namespace kernelscape
