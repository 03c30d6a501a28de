#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/fleet/task_executor.h"
#include "core/fleet/task_queue.h"
#include "core/measure/interruption.h"

namespace kernelscape::fleet {

/** The task that a worker thread has in flight, and the pace of its machine, shared with the thread that
 * sends heartbeats. */
class WorkerSlot {
 public:
  /** Records that the task is in flight. */
  void begin(const TakenTask& task) {
    const std::scoped_lock lock(mutex_);
    stream_ = task.stream;
    entry_ = task.entry;
    lost_ = false;
    interrupt_.reset();
    since_ = std::chrono::steady_clock::now();
  }

  /** Records that the task was finished or released. */
  void end() {
    const std::scoped_lock lock(mutex_);
    busy_seconds_ += busy_since_begin();
    entry_.clear();
  }

  /** Returns the stream and the entry of the task in flight, or nullopt. */
  std::optional<std::pair<std::string, std::string>> in_hand() const {
    const std::scoped_lock lock(mutex_);
    if (entry_.empty()) return std::nullopt;
    return std::pair(stream_, entry_);
  }

  /** Records the pace of the machine. */
  void set_pace(const MachinePace& pace) {
    const std::scoped_lock lock(mutex_);
    pace_ = pace;
  }

  /** Returns the pace of the machine after the latest run, or while the thread waits for it. */
  MachinePace pace() const {
    const std::scoped_lock lock(mutex_);
    return pace_;
  }

  /** Records that another worker has the task of this entry. */
  void lose(const std::string& entry) {
    const std::scoped_lock lock(mutex_);
    if (entry_ != entry) return;
    lost_ = true;
    interrupt_.trigger();
  }

  /** Interrupts the task in flight. */
  void stop() const { interrupt_.trigger(); }

  bool lost() const {  ///< another worker has the task that was in flight
    const std::scoped_lock lock(mutex_);
    return lost_;
  }

  /** Returns the seconds with a task in flight since the last call. */
  double take_busy_seconds() {
    const std::scoped_lock lock(mutex_);
    const double seconds = busy_seconds_ + busy_since_begin();
    busy_seconds_ = 0;
    since_ = std::chrono::steady_clock::now();
    return seconds;
  }

  measure::Interruption interruption() const { return interrupt_.interruption(); }  ///< of the task in flight

 private:
  double busy_since_begin() const { return entry_.empty() ? 0 : measure::seconds_since(since_); }

  mutable std::mutex mutex_;
  measure::InterruptionSwitch interrupt_;
  std::string stream_;
  std::string entry_;
  bool lost_ = false;
  MachinePace pace_;
  double busy_seconds_ = 0;
  std::chrono::steady_clock::time_point since_;
};

}  // namespace kernelscape::fleet
