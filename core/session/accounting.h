#pragma once

#include <functional>

#include "core/measure/measurer.h"
#include "core/store/store.h"

namespace kernelscape {

/** Seconds on a clock that never goes back; a test's clock is its own. */
using Clock = std::function<double()>;
/** The steady clock of this machine; only differences mean something. */
Clock steady_clock_seconds();

/**
 * Wall shares of a session (design: Time): every instant belongs to run, else build, else search, else idle.
 * What a replay takes, pauses and down time are no session time: the clock is read from start() on, and goes
 * on from what earlier runs of the session have stored.
 */
class Accounting {
 public:
  /** @param charged_search_seconds search time of the stored batches, which the last status may lack */
  Accounting(Clock clock, const SessionStatus& earlier, double charged_search_seconds);

  /** Search before start(), such as making the tuner: it is session time as well. */
  void charge_before_start(double search_seconds);
  /** Session time begins to pass. */
  void start();

  double session_seconds() const;  ///< wall time until now, with that of earlier runs, without pauses
  /** The share of the search, with that of earlier runs. */
  double search_seconds() const { return search_seconds_; }

  /** Runs `work` and charges its wall time to the search. */
  template <typename Work>
  auto search(Work&& work) {
    const double begin = clock_();
    auto result = work();
    add_search(begin, clock_());
    return result;
  }

  /** Measuring begins: busy times are charged against the wall time from here on. */
  void begin_measuring() { segment_begin_ = clock_(); }
  /** Charges a device's busy times since the last call, never more than the wall time that passed. */
  void charge(const BusyTimes& busy);

  void write(SessionStatus& status) const;  ///< fills in the four times of the status

 private:
  void add_search(double begin, double end) { search_seconds_ += end - begin; }

  Clock clock_;
  double origin_;
  double segment_begin_;
  double earlier_session_seconds_;
  double search_seconds_;
  double build_seconds_;
  double run_seconds_;
};

}  // namespace kernelscape
