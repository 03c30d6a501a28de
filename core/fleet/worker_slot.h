#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/fleet/task_queue.h"
#include "core/measure/interruption.h"

namespace kernelscape {

/** What a thread of a worker has in hand: told to the thread that tells that the worker lives. */
class WorkerSlot {
 public:
  /** The task is being done from now on. */
  void begin(const TakenTask& task) {
    const std::scoped_lock lock(mutex_);
    stream_ = task.stream;
    entry_ = task.entry;
    lost_ = false;
    interrupt_.reset();
    since_ = std::chrono::steady_clock::now();
  }

  /** It is done, or handed back. */
  void end() {
    const std::scoped_lock lock(mutex_);
    busy_seconds_ += busy_since_begin();
    entry_.clear();
  }

  /** The stream and the entry in hand; nothing: none is. */
  std::optional<std::pair<std::string, std::string>> in_hand() const {
    const std::scoped_lock lock(mutex_);
    if (entry_.empty()) return std::nullopt;
    return std::pair(stream_, entry_);
  }

  /** Somebody else has that entry by now. */
  void lose(const std::string& entry) {
    const std::scoped_lock lock(mutex_);
    if (entry_ != entry) return;
    lost_ = true;
    interrupt_.trigger();
  }

  /** What is in hand is to end at once. */
  void stop() const { interrupt_.trigger(); }

  bool lost() const {  ///< what was in hand is somebody else's
    const std::scoped_lock lock(mutex_);
    return lost_;
  }

  /** Seconds with a task in hand since the last call. */
  double take_busy_seconds() {
    const std::scoped_lock lock(mutex_);
    const double seconds = busy_seconds_ + busy_since_begin();
    busy_seconds_ = 0;
    since_ = std::chrono::steady_clock::now();
    return seconds;
  }

  Interruption interruption() const { return interrupt_.interruption(); }  ///< of what is in hand

 private:
  double busy_since_begin() const { return entry_.empty() ? 0 : seconds_since(since_); }

  mutable std::mutex mutex_;
  InterruptionSwitch interrupt_;
  std::string stream_;
  std::string entry_;
  bool lost_ = false;
  double busy_seconds_ = 0;
  std::chrono::steady_clock::time_point since_;
};

}  // namespace kernelscape
