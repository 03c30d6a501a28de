#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trial/counter_reading.h"

namespace kernelscape::measure {

/** The events that can be counted. The values are indices into lists. */
enum class Counter : std::uint8_t {
  Cycles,
  Instructions,
  L1Misses,
  L2Misses,
  LlcMisses,
  TlbMisses,
  StalledCycles,
  TaskClock,       ///< nanoseconds, counted by the system
  ContextSwitches  ///< counted by the system
};
inline constexpr std::array all_counters{
    Counter::Cycles,        Counter::Instructions, Counter::L1Misses,
    Counter::L2Misses,      Counter::LlcMisses,    Counter::TlbMisses,
    Counter::StalledCycles, Counter::TaskClock,    Counter::ContextSwitches};

/** Returns the display name of a counter, such as "cycles" or "L1 misses". */
std::string_view to_string(Counter counter);

/** One counter of one thread, as read from the system. */
struct RawCount {
  std::uint64_t value = 0;
  std::uint64_t enabled_nanoseconds = 0;
  std::uint64_t running_nanoseconds = 0;  ///< less than enabled_nanoseconds if counters were multiplexed
};

/** A counter of the thread that opened it. Tests replace the system's counters by their own. */
class OpenCounter {
 public:
  virtual ~OpenCounter() = default;
  virtual void restart() = 0;                  ///< resets the counter to zero and starts it
  virtual void stop() = 0;                     ///< stops the counter and keeps its value
  virtual std::optional<RawCount> read() = 0;  ///< returns nullopt if the system gave no value
};

/** A source of counters. */
class CounterSource {
 public:
  virtual ~CounterSource() = default;
  /**
   * Opens a stopped counter for the calling thread. If the counter is not available, returns null and sets
   * `error` to ENOENT, EACCES, EPERM or ENOSYS.
   */
  virtual std::unique_ptr<OpenCounter> open(Counter counter, int& error) = 0;
};

/** Returns the source that uses perf_event_open() of this system. */
CounterSource& system_counters();

/**
 * Returns why a counter is not available, as text with a remedy.
 * @param paranoid the value of /proc/sys/kernel/perf_event_paranoid; nullopt: not readable
 */
trial::MissingCounter missing_counter(Counter counter, int error, std::optional<int> paranoid);

/**
 * Returns why a kernel could not be sampled, as missing_counter() does. @param error errno of the last event
 * that was tried; 0: it was opened, and took no sample in the kernel
 */
trial::MissingCounter missing_samples(int error, std::optional<int> paranoid);

/** Returns perf_event_paranoid of this system, or nullopt if it is not readable. */
std::optional<int> perf_event_paranoid();

/** The counters of several threads. Each thread opens, starts and stops its own counters. */
class ThreadCounters {
 public:
  /** @param source must outlive this object */
  ThreadCounters(int threads, CounterSource& source);
  ~ThreadCounters();
  ThreadCounters(const ThreadCounters&) = delete;
  ThreadCounters& operator=(const ThreadCounters&) = delete;

  void open(int thread);   ///< opens the counters; called once by that thread
  void start(int thread);  ///< starts the counters from zero; called by that thread
  void stop(int thread);   ///< stops the counters; called by that thread

  /**
   * Returns the sums over the threads, per call. Requires that all threads have stopped. A counter that any
   * thread lacks is missing.
   */
  trial::CounterReading reading(double calls, double seconds) const;

 private:
  struct Member;
  /** The sum of one counter over all threads. */
  struct Sum;
  Sum sum_of(Counter counter) const;

  CounterSource& source_;
  std::vector<Member> members_;
};

/** The reading of a kernel that starts threads itself, which no counter follows: all counters are missing. */
trial::CounterReading uncounted_reading(double calls, double seconds);

/** What can't be counted here, asked by opening each counter once for the calling thread. */
std::vector<trial::MissingCounter> missing_counters(CounterSource& source);

}  // namespace kernelscape::measure
