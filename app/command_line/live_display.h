#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "core/session/session.h"

namespace kernelscape::command_line {

/** Data that a display receives before the session runs. */
struct DisplaySetup {
  const session::Setup* setup = nullptr;
  const session::StopRequest* stop = nullptr;
  std::string database;
  bool resumed = false;
  std::int64_t errors = 0;        ///< failed trials of earlier runs of a resumed session
  std::int64_t member_count = 0;  ///< 0: unknown
};

/** Numbers of a running session that the text and JSON displays share. */
class LiveNumbers {
 public:
  explicit LiveNumbers(const DisplaySetup& display);

  /** Updates the phase. The rate of trials counts from the first phase other than Replaying. */
  void update(session::Phase phase, const store::SessionStatus& status);
  /** Updates the batch in progress. */
  void update(const measure::BatchProgress& batch, const store::SessionStatus& status);
  /** Adds an arrived trial; failed trials count as errors. */
  void add(const trial::Trial& trial, const store::SessionStatus& status);
  /**
   * Updates a replay, whose own clock is virtual: from here on, rate and time left are computed in real
   * seconds.
   */
  void update_replay(std::int64_t errors, const store::SessionStatus& status);

  session::Phase phase() const {
    return phase_;
  }  ///< phase of the last update; Searching before the first update
  const store::SessionStatus& status() const { return status_; }  ///< status of the last update
  const measure::BatchProgress& batch() const { return batch_; }  ///< batch of the last update
  std::int64_t errors() const { return errors_; }                 ///< failed trials, including earlier runs
  double flops() const { return flops_; }  ///< of the task, per kernel call; 0: unknown
  /** Returns the maximum number of trials of the session; 0: unknown. */
  std::int64_t trial_limit() const { return trial_limit_; }
  /** Returns the rate of this run; 0 before the first trial. */
  double trials_per_second() const;
  /** Returns the time left by trials or minutes, whichever ends first; negative: unknown. */
  double seconds_left() const;

 private:
  void begin_once(const store::SessionStatus& status);
  /** Returns the seconds since this run began. */
  double elapsed_seconds() const;

  trial::Budget budget_;
  double flops_;
  std::int64_t trial_limit_;
  std::int64_t errors_;
  bool begun_ = false;
  std::int64_t begin_trials_ = 0;
  double begin_seconds_ = 0;
  bool replay_ = false;
  std::chrono::steady_clock::time_point begin_;
  session::Phase phase_ = session::Phase::Searching;
  store::SessionStatus status_;
  measure::BatchProgress batch_;
};

/** Makes a display with a progress bar on a terminal, or with lines elsewhere. */
std::unique_ptr<session::Observer> make_text_display(const DisplaySetup& display);
/** Makes a display that prints one JSON object per line. */
std::unique_ptr<session::Observer> make_json_display(const DisplaySetup& display);

}  // namespace kernelscape::command_line
