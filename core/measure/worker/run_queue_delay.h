#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/measure/worker/unique_fd.h"

namespace kernelscape::measure {

/**
 * Maximum fraction of a sample's time that a thread may have waited for a processor; above it, the sample is
 * disturbed.
 */
inline constexpr double max_lost_share = 0.005;

/**
 * Parses the second number of a thread's schedstat: nanoseconds in which the thread was runnable but waited
 * for a processor. Returns nullopt if the text is no such line, or if the system keeps no statistics (it then
 * writes 0 for every value).
 */
std::optional<std::uint64_t> parse_run_queue_delay(std::string_view schedstat);

/** The time that one thread of this process waited on the run queue, as reported by the system. */
class RunQueueDelay {
 public:
  RunQueueDelay() = default;  ///< refers to no thread: nothing is known
  /** Opens the statistics of the calling thread; a system that has no such file is no error. */
  static RunQueueDelay of_this_thread();
  /** Opens the statistics of any thread of this process. */
  static RunQueueDelay of_thread(pid_t thread);

  /**
   * Returns the total so far; a reading takes a microsecond, and any thread may call it. Returns nullopt if
   * the value is not available.
   */
  std::optional<std::uint64_t> nanoseconds() const;

 private:
  explicit RunQueueDelay(const char* path);

  UniqueFd file_;
};

/** The events that kept a kernel's threads from running while they were watched. */
struct LostTime {
  std::optional<double> longest_wait_seconds{};  ///< wait of the thread that waited longest; nullopt: unknown
  std::uint64_t preemptions = 0;                 ///< involuntary context switches of all threads

  /**
   * Returns true if the events disturbed a sample of this duration: more than max_lost_share of it was spent
   * waiting, or, if the waiting time is unknown, a thread was preempted.
   */
  bool disturbs(double sample_seconds) const;
};

/** The waiting time of one thread during an interval. */
class ThreadWatch {
 public:
  ThreadWatch() = default;  ///< refers to no thread
  /** @param delay statistics of the thread */
  explicit ThreadWatch(RunQueueDelay delay) : delay_(std::move(delay)) {}

  void begin() { before_ = delay_.nanoseconds(); }  ///< starts the interval
  /** Returns the nanoseconds waited since begin(); nullopt if they are unknown. */
  std::optional<std::uint64_t> waited() const;

 private:
  RunQueueDelay delay_;
  std::optional<std::uint64_t> before_;
};

/**
 * Watches all threads that this process has at the start of the interval. Used for the threads of a library,
 * to which there is no other access. Takes a few microseconds per thread.
 */
class ProcessWatch {
 public:
  void begin();                                            ///< starts the interval
  LostTime lost() const;                                   ///< returns the time lost since begin()
  std::size_t threads() const { return threads_.size(); }  ///< number of watched threads

 private:
  std::vector<ThreadWatch> threads_;
  std::uint64_t preemptions_before_ = 0;
};

/**
 * Converts the threads' waits in nanoseconds and returns the longest in seconds; nullopt if any of them is
 * unknown or the list is empty.
 */
std::optional<double> longest_wait(const std::vector<std::optional<std::uint64_t>>& waits);

}  // namespace kernelscape::measure
