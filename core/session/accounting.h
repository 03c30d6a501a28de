#pragma once

#include <functional>

#include "core/measure/measurer.h"
#include "core/session/clock.h"

namespace kernelscape::session {

/** Returns the seconds of a monotonic clock; tests supply their own clock. */
using Clock = std::function<double()>;
/** Returns the steady clock of this machine; only differences are meaningful. */
Clock steady_clock_seconds();

/**
 * Time breakdown of a session (core/measure/README.md): every instant counts as run, else build, else search,
 * else idle. The catching up of a resumed session, pauses and down time do not count as session time: the
 * clock is read from start() on, and continues from the time that earlier runs of the session stored.
 */
class Accounting final : public SessionClock {
 public:
  /**
   * @param charged_search_seconds search time of the stored batches, which the last status may not include
   */
  Accounting(Clock clock, const store::SessionStatus& earlier, double charged_search_seconds);

  void start() override;
  double session_seconds() const override;
  void write(store::SessionStatus& status) const override;

  double search_begin() const override { return clock_(); }
  double search_since(double begin) const override { return clock_() - begin; }
  void charge_search(double seconds) override { search_seconds_ += seconds; }
  /**
   * Charges the making of the tuner, which also counts as session time. Charges nothing if an earlier run was
   * charged for it.
   */
  void charge_making(double seconds) override;
  /** Returns the search time since the last batch, which the next batch is charged. */
  double uncharged_search_seconds() const { return search_seconds_ - charged_search_seconds_; }
  void charge_batch() { charged_search_seconds_ = search_seconds_; }  ///< charges it

  /** Begins measuring: busy times are charged against the wall time from here on. */
  void begin_measuring() { segment_begin_ = clock_(); }
  /**
   * Charges a device's busy times since the last call, at most the wall time that passed. The time during
   * which it waited for a slow machine is no session time.
   */
  void charge(const measure::BusyTimes& busy);
  double waiting_seconds() const { return waiting_seconds_; }  ///< since start(), for a slow machine

 private:
  Clock clock_;
  double origin_;
  double segment_begin_;
  double earlier_session_seconds_;
  double waiting_seconds_ = 0;
  double charged_search_seconds_;
  double search_seconds_;
  double build_seconds_;
  double run_seconds_;
};

}  // namespace kernelscape::session
