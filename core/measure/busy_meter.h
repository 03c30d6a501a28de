#pragma once

#include <chrono>
#include <mutex>
#include <utility>

#include "core/measure/measurer.h"

namespace kernelscape {

/** Splits wall time into building, running and neither: at any moment it is one of them. Thread-safe. */
class BusyMeter {
 public:
  enum class Activity { None, Building, Running };

  void switch_to(Activity activity) {
    const std::scoped_lock lock(mutex_);
    account();
    activity_ = activity;
  }

  BusyTimes take() {
    const std::scoped_lock lock(mutex_);
    account();
    return std::exchange(times_, {});
  }

 private:
  void account() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - since_).count();
    if (activity_ == Activity::Building) times_.build_seconds += seconds;
    if (activity_ == Activity::Running) times_.run_seconds += seconds;
    since_ = now;
  }

  std::mutex mutex_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  Activity activity_ = Activity::None;
  BusyTimes times_;
};

}  // namespace kernelscape
