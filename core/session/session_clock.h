#pragma once

#include "core/store/store.h"

namespace kernelscape {

/** The time of a session, and what of it its tuner is charged: that of this machine, or that of a replay. */
class SessionClock {
 public:
  virtual ~SessionClock() = default;

  /** Session time begins to pass. Until now the tuner only computed again what was charged already. */
  virtual void start() { started_ = true; }
  virtual double session_seconds() const = 0;  ///< until now, with that of earlier runs, without pauses
  virtual void write(SessionStatus& status) const = 0;  ///< fills in the four times of the status

  virtual double search_begin() const = 0;              ///< the tuner computes: for search_since()
  virtual double search_since(double begin) const = 0;  ///< seconds that it has computed since then
  virtual void charge_search(double seconds) = 0;       ///< to the next batch
  virtual void charge_making(double seconds) = 0;       ///< of the tuner, before start()

  /** Runs `work` and charges its time to the search, once the session's time passes. */
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

}  // namespace kernelscape
