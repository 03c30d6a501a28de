#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace kernelscape::session {

/** Why a run is to stop. */
enum class StopReason : std::uint8_t { Stopped, Paused };

/** Returns the reason as it is stored with an interrupted session. Stored: never change it. */
constexpr std::string_view stop_reason_text(StopReason reason) {
  return reason == StopReason::Paused ? "paused by the user" : "stopped by the user";
}

/**
 * A request to stop a run: first gracefully (running work is finished and kept), then at once. Safe in a
 * signal handler.
 */
class StopRequest {
 public:
  /**
   * Requests a graceful stop. After an earlier request only the reason changes: a run that is being paused
   * can be stopped.
   */
  void stop_gracefully(StopReason reason = StopReason::Stopped) {
    reason_.store(reason);
    int none = 0;
    level_.compare_exchange_strong(none, 1);
  }
  /** Requests an immediate stop: running work is killed and not kept. */
  void stop_at_once() { level_.store(2); }
  /** Returns 0: no stop requested, 1: gracefully, 2: at once. */
  int level() const { return level_.load(); }
  /** Returns the reason of the last graceful request; Stopped if there was none. */
  StopReason reason() const { return reason_.load(); }

 private:
  std::atomic<StopReason> reason_{StopReason::Stopped};
  std::atomic<int> level_{0};
};

}  // namespace kernelscape::session
