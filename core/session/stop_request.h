#pragma once

#include <atomic>

namespace kernelscape::session {

/**
 * A request to stop a run: first gracefully (running work is finished and kept), then at once. Safe in a
 * signal handler.
 */
class StopRequest {
 public:
  /** Requests a graceful stop. Has no effect after stop_at_once(). */
  void stop_gracefully() {
    int none = 0;
    level_.compare_exchange_strong(none, 1);
  }
  /** Requests an immediate stop: running work is killed and not kept. */
  void stop_at_once() { level_.store(2); }
  /** Returns 0: no stop requested, 1: gracefully, 2: at once. */
  int level() const { return level_.load(); }

 private:
  std::atomic<int> level_{0};
};

}  // namespace kernelscape::session
