#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <utility>

#include "core/fleet/batch_state.h"

namespace kernelscape::fleet {

/**
 * A BatchState that the threads of a measurer share under one lock: the session's thread, the posting thread
 * and the listening thread. The state is accessible only through lock(), so that no function can use it
 * without the lock.
 */
class SharedBatch {
 public:
  explicit SharedBatch(double run_timeout_seconds) : state_(run_timeout_seconds) {}

  /** Holds the lock and gives access to the state. */
  class Locked {
   public:
    BatchState* operator->() { return state_; }
    BatchState& operator*() { return *state_; }
    void unlock() { lock_.unlock(); }  ///< the state must not be used until lock()
    void lock() { lock_.lock(); }      ///< continues after unlock()
    /** Releases the lock until the condition is true. */
    template <typename Condition>
    void wait(Condition condition) {
      state_->changed.wait(lock_, std::move(condition));
    }
    /** Releases the lock until the condition is true or the time is over. */
    template <typename Duration, typename Condition>
    void wait_for(Duration patience, Condition condition) {
      state_->changed.wait_for(lock_, patience, std::move(condition));
    }

   private:
    friend class SharedBatch;
    Locked(std::mutex& mutex, BatchState& state) : lock_(mutex), state_(&state) {}
    std::unique_lock<std::mutex> lock_;
    BatchState* state_;
  };

  Locked lock() { return {mutex_, state_}; }  ///< waits for the lock

  // These functions take the lock themselves.

  void stop_with(const Error& error) { lock()->stop_with(error); }         ///< see BatchState::stop_with()
  void notify(std::string text) { lock()->notify(std::move(text)); }       ///< see BatchState::notify()
  bool continues() { return !lock()->error() && !aborting && !quitting; }  ///< the batch is not to be ended

  // These members need no lock.

  /** Returns the busy times since the last call. Their meter has a lock of its own. */
  measure::BusyTimes take_busy_times() { return state_.open.take_busy_times(); }
  std::atomic<bool> aborting = false;  ///< the session drops the batch
  std::atomic<bool> quitting = false;  ///< the measurer is being destroyed

 private:
  std::mutex mutex_;
  BatchState state_;
};

}  // namespace kernelscape::fleet
