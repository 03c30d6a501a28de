#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/measure/worker/unique_fd.h"

namespace kernelscape {

/** Of a sample's seconds that a thread may have waited for a processor: more, and the sample is disturbed. */
inline constexpr double most_lost_share = 0.005;

/** The second number of a thread's schedstat: nanoseconds that it could have run and waited for a processor.
 * None where the text is no such line, or the system keeps no account (it then says 0 of everything). */
std::optional<std::uint64_t> parse_run_queue_delay(std::string_view schedstat);

/** What the system says of the time that one thread of this process waited on the run queue. */
class RunQueueDelay {
 public:
  RunQueueDelay() = default;  ///< of no thread: nothing is known
  /** Opens what the reading needs; a system that has no such file is no error. */
  static RunQueueDelay of_this_thread();
  /** The same of any thread of this process. */
  static RunQueueDelay of_thread(pid_t thread);

  /** So far, a microsecond a reading; any thread may ask. None where it can't be known. */
  std::optional<std::uint64_t> nanoseconds() const;

 private:
  explicit RunQueueDelay(const char* path);

  UniqueFd file_;
};

/** What kept a kernel's threads from running while they were watched. */
struct LostTime {
  std::optional<double> longest_wait_seconds{};  ///< of the thread that waited longest; none: not known
  std::uint64_t preemptions = 0;                 ///< involuntary context switches of all threads

  /** Whether it disturbed a sample of so many seconds: more than most_lost_share of them went to waiting, or,
   * where the waiting is not known, a thread was preempted. */
  bool disturbs(double sample_seconds) const;
};

/** One thread's waiting over a stretch of time. */
class ThreadWatch {
 public:
  ThreadWatch() = default;  ///< of no thread
  /** @param delay what is known of the thread */
  explicit ThreadWatch(RunQueueDelay delay) : delay_(std::move(delay)) {}

  void begin() { before_ = delay_.nanoseconds(); }  ///< of the stretch
  /** Nanoseconds since begin(); none where they can't be known. */
  std::optional<std::uint64_t> waited() const;

 private:
  RunQueueDelay delay_;
  std::optional<std::uint64_t> before_;
};

/** Watches all threads that this process has when the stretch begins: those of a library, which nobody else
 * knows. A few microseconds a thread. */
class ProcessWatch {
 public:
  void begin();                                            ///< of the stretch
  LostTime lost() const;                                   ///< since begin()
  std::size_t threads() const { return threads_.size(); }  ///< that are watched

 private:
  std::vector<ThreadWatch> threads_;
  std::uint64_t preemptions_before_ = 0;
};

/** Seconds of the longest of the threads' waits in nanoseconds; none where one is not known, or there is
 * none. */
std::optional<double> longest_wait(const std::vector<std::optional<std::uint64_t>>& waits);

}  // namespace kernelscape
