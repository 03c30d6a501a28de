#pragma once

#include <functional>

#include "core/measure/measurer.h"
#include "core/session/session_clock.h"

namespace kernelscape {

/** Seconds on a clock that never goes back; a test's clock is its own. */
using Clock = std::function<double()>;
/** The steady clock of this machine; only differences mean something. */
Clock steady_clock_seconds();

/**
 * Wall shares of a session (core/measure/README.md): every instant belongs to run, else build, else search,
 * else idle. What a replay takes, pauses and down time are no session time: the clock is read from start()
 * on, and goes on from what earlier runs of the session have stored.
 */
class Accounting final : public SessionClock {
 public:
  /** @param charged_search_seconds search time of the stored batches, which the last status may lack */
  Accounting(Clock clock, const SessionStatus& earlier, double charged_search_seconds);

  void start() override;
  double session_seconds() const override;
  void write(SessionStatus& status) const override;

  double search_begin() const override { return clock_(); }
  double search_since(double begin) const override { return clock_() - begin; }
  void charge_search(double seconds) override { search_seconds_ += seconds; }
  /** It is session time as well. Nothing where an earlier run was charged it. */
  void charge_making(double seconds) override;
  /** The next batch carries what was searched since the last one. */
  double uncharged_search_seconds() const { return search_seconds_ - charged_search_seconds_; }
  void charge_batch() { charged_search_seconds_ = search_seconds_; }  ///< it does

  /** Measuring begins: busy times are charged against the wall time from here on. */
  void begin_measuring() { segment_begin_ = clock_(); }
  /** Charges a device's busy times since the last call, never more than the wall time that passed. */
  void charge(const BusyTimes& busy);

 private:
  Clock clock_;
  double origin_;
  double segment_begin_;
  double earlier_session_seconds_;
  double charged_search_seconds_;
  double search_seconds_;
  double build_seconds_;
  double run_seconds_;
};

}  // namespace kernelscape
