#pragma once

#include <atomic>

namespace kernelscape {

/** Asked to stop: once gracefully (what is running now is finished and kept), twice at once. Safe in a signal
 * handler. */
class StopRequest {
 public:
  /** No effect after stop_at_once(). */
  void stop_gracefully() {
    int none = 0;
    level_.compare_exchange_strong(none, 1);
  }
  /** What is running now is killed and not kept. */
  void stop_at_once() { level_.store(2); }
  /** 0: go on, 1: gracefully, 2: at once. */
  int level() const { return level_.load(); }

 private:
  std::atomic<int> level_{0};
};

}  // namespace kernelscape
