#pragma once

#include "core/store/store.h"

namespace kernelscape::session {

/**
 * The time of a session, and the part of it that the tuner is charged: real time, or the virtual time of a
 * replay.
 */
class SessionClock {
 public:
  virtual ~SessionClock() = default;

  /** Starts the session time. Before, the tuner only repeats computations that were charged already. */
  virtual void start() { started_ = true; }
  virtual double session_seconds() const = 0;  ///< up to now, with earlier runs, without pauses
  virtual void write(store::SessionStatus& status) const = 0;  ///< fills in the four times of the status

  virtual double search_begin() const = 0;  ///< start of a computation of the tuner, for search_since()
  virtual double search_since(double begin) const = 0;  ///< seconds that the tuner computed since `begin`
  virtual void charge_search(double seconds) = 0;       ///< to the next batch
  virtual void charge_making(double seconds) = 0;       ///< charges the making of the tuner, before start()

  /** Runs `work` and charges its time to the search if the session time has started. */
  template <typename Work>
  auto search(Work&& work) {
    const double begin = search_begin();
    auto result = work();
    const double seconds = search_since(begin);
    if (started_) charge_search(seconds);
    return result;
  }

 private:
  bool started_ = false;
};

}  // namespace kernelscape::session
