#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/measure/recorded_measurer.h"
#include "core/session/run_features.h"
#include "core/session/session.h"
#include "core/trial/replayed_samples.h"

namespace kernelscape {

/** What a replay runs with, owned by the caller. */
struct ReplayTools {
  Store& store;
  const Recording& recording;
  SessionObserver& observer;
  const StopRequest& stop;
  std::shared_ptr<FeatureBill> feature_bill;  ///< of the setup's features; null: no row is billed
};

/** Rows that were submitted together, as they are stored. */
struct StoredReplay {
  std::vector<std::uint32_t> rows;
  double search_seconds = 0;
};

/** One process's run of a replayed session that it owns. */
class ReplayedRun {
 public:
  /** A new session. @param setup with its batch size */
  ReplayedRun(const ReplayTools& tools, SessionId id, const SessionSetup& setup, BudgetPlan plan);
  /** A stored one. @param plan as it is stored; the setup's budget holds once the stored trials are there
   * again
   */
  ReplayedRun(const ReplayTools& tools, SessionId id, const SessionSetup& setup, BudgetPlan plan,
              const SessionStatus& earlier, std::vector<StoredReplay> stored);

  /** Replays to an end and stores how it ended. */
  Result<SessionOutcome> run();

 private:
  struct Ending {
    SessionState state = SessionState::Done;
    std::string reason;
  };

  /** What the schedule is of. */
  struct Submission {
    std::size_t first = 0;     ///< position in the batch of its first candidate
    double begin_seconds = 0;  ///< of the virtual clock
    double build_seconds = 0;  ///< of the session until then
    double run_seconds = 0;    ///< of the session until then
  };

  Result<Ending> go_on();
  Status catch_up();
  std::optional<std::string> end_reason() const;
  /** @return why the tuner ended; none: there is a batch */
  Result<std::optional<std::string>> propose();
  Status look_up(std::int64_t request);
  /** @return how the session ends within the batch; none: it is complete */
  Result<std::optional<Ending>> replay_batch();
  Result<std::size_t> take_stored(std::size_t done);
  std::optional<Ending> take_new(std::size_t& done);
  void submit(std::size_t done, std::size_t end, double search_seconds);
  void charge_search(double seconds);
  void take_samples_of_batch();
  double seen_seconds(std::size_t position) const;
  void schedule(std::size_t done);
  void take(std::size_t done, std::size_t end);
  void observe();
  Status report(bool at_once);
  Status flush();
  Result<SessionOutcome> finish(const Ending& ending);
  Error pause(Error error);

  bool catching_up() const { return !caught_up_; }
  bool in_waves() const { return setup_.options.clock == BatchClock::Waves; }
  bool goes_on_in_batch(std::size_t done) const { return done > 0 && in_waves(); }
  double search_begin() const;
  double search_since(double begin) const;
  const SessionStatus& status_now();

  const ReplayTools& tools_;
  SessionId id_;
  const SessionSetup& setup_;
  bool restricted_;  ///< the tuner's space has fewer members than the recording
  BudgetPlan plan_;
  SessionStatus earlier_;
  SessionStatus committed_;  ///< with the last batches that were stored
  std::vector<StoredReplay> stored_;
  std::size_t stored_next_ = 0;
  bool caught_up_;

  std::unique_ptr<Tuner> tuner_;
  SessionStatus status_;
  SessionState state_on_error_ = SessionState::Interrupted;
  double now_seconds_ = 0;     ///< of the virtual clock, without `uncharged_seconds_`
  double search_seconds_ = 0;  ///< without `uncharged_seconds_`
  /** Of the search since the last batch, the making of the tuner included: it belongs to the next one. */
  double uncharged_seconds_ = 0;
  std::int64_t errors_ = 0;
  std::int64_t proposed_ = 0;
  std::int32_t batches_ = 0;    ///< proposed
  std::int32_t submitted_ = 0;  ///< stored: a batch that the budget cut is stored in two pieces

  // The batch in progress.
  std::vector<Configuration> candidates_;
  std::vector<std::uint32_t> rows_;
  std::vector<Observation> observations_;
  // Where fewer samples are taken than were recorded (MeasureOptions::replay_samples); else empty.
  std::vector<ReplayedSamples> samples_;  ///< by position
  std::vector<TrialRow> seen_;            ///< by position: the rows with these samples
  ReplayClock clock_;
  ReplaySchedule schedule_;
  Submission submission_;

  // What is not stored yet.
  std::vector<ReplayedBatch> pending_;
  std::vector<StoredSeries> pending_series_;
  std::size_t pending_trials_ = 0;
  std::chrono::steady_clock::time_point reported_;
};

}  // namespace kernelscape
