#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "core/measure/measurer.h"

namespace kernelscape::measure {

/**
 * Splits wall time into running, building, waiting for the machine and idle. Activities may overlap; the time
 * counts as the first of them, in this order. Thread-safe.
 */
class BusyMeter {
 public:
  enum class Activity : std::uint8_t { Building, Running, Waiting };

  /** Starts one more activity of this kind. */
  void begin(Activity activity) { change(activity, 1); }
  /** Ends one activity of this kind; each begin() needs one end(). */
  void end(Activity activity) { change(activity, -1); }

  /** Returns the seconds since the last take() or the construction, and restarts from zero. */
  BusyTimes take() {
    const std::scoped_lock lock(mutex_);
    account();
    return std::exchange(times_, {});
  }

  /** Marks an activity as active for the lifetime of this object. */
  class Scope {
   public:
    Scope(BusyMeter& meter, Activity activity) : meter_(meter), activity_(activity) {
      meter_.begin(activity);
    }
    ~Scope() { meter_.end(activity_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    BusyMeter& meter_;
    Activity activity_;
  };

 private:
  void change(Activity activity, int by) {
    const std::scoped_lock lock(mutex_);
    account();
    under_way(activity) += by;
  }

  void account() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - since_).count();
    if (under_way(Activity::Running) > 0) {
      times_.run_seconds += seconds;
    } else if (under_way(Activity::Building) > 0) {
      times_.build_seconds += seconds;
    } else if (under_way(Activity::Waiting) > 0) {
      times_.waiting_seconds += seconds;
    }
    since_ = now;
  }

  int& under_way(Activity activity) { return under_way_[static_cast<std::size_t>(activity)]; }

  std::mutex mutex_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  std::array<int, 3> under_way_{};  ///< number of active activities of each kind
  BusyTimes times_;
};

}  // namespace kernelscape::measure
