#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "core/session/session.h"

namespace kernelscape {

/** What a display is told before the session runs. */
struct DisplaySetup {
  const SessionSetup* setup = nullptr;
  const StopRequest* stop = nullptr;
  std::string database;
  bool resumed = false;
  std::int64_t errors = 0;        ///< of the trials that a resumed session has
  std::int64_t member_count = 0;  ///< 0: not known
};

/** The numbers of a running session that text and JSON show alike. */
class LiveNumbers {
 public:
  explicit LiveNumbers(const DisplaySetup& display);

  /** A phase began. The rate of trials counts from the first phase that is no replay. */
  void update(SessionPhase phase, const SessionStatus& status);
  /** The batch in progress moved on. */
  void update(const BatchProgress& batch, const SessionStatus& status);
  /** A trial arrived; failed ones count as errors. */
  void add(const Trial& trial, const SessionStatus& status);
  /** Of a replay, whose own clock is virtual: what is left and how fast are real seconds from here on. */
  void update_replay(std::int64_t errors, const SessionStatus& status);

  SessionPhase phase() const { return phase_; }            ///< of the last update; Searching before the first
  const SessionStatus& status() const { return status_; }  ///< the last that was told
  const BatchProgress& batch() const { return batch_; }    ///< the last that was told
  std::int64_t errors() const { return errors_; }          ///< failed trials, with those of earlier runs
  double flops() const { return flops_; }  ///< of the task, per call of its kernel; 0: not known
  /** Trials that the session is to have at most; 0: not known. */
  std::int64_t trial_limit() const { return trial_limit_; }
  /** Of this run; 0 before the first trial. */
  double trials_per_second() const;
  /** By trials or minutes, whichever ends first; negative: not known. */
  double seconds_left() const;

 private:
  void begin_once(const SessionStatus& status);
  /** Seconds since this run began. */
  double elapsed_seconds() const;

  Budget budget_;
  double flops_;
  std::int64_t trial_limit_;
  std::int64_t errors_;
  bool begun_ = false;
  std::int64_t begin_trials_ = 0;
  double begin_seconds_ = 0;
  bool replay_ = false;
  std::chrono::steady_clock::time_point begin_;
  SessionPhase phase_ = SessionPhase::Searching;
  SessionStatus status_;
  BatchProgress batch_;
};

/** A progress bar on a terminal, lines elsewhere. */
std::unique_ptr<SessionObserver> make_text_display(const DisplaySetup& display);
/** One JSON object per line. */
std::unique_ptr<SessionObserver> make_json_display(const DisplaySetup& display);

}  // namespace kernelscape
