#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trial/counter_reading.h"

namespace kernelscape {

/** What can be counted. The numbers are places in lists. */
enum class Counter : std::uint8_t {
  Cycles,
  Instructions,
  L1Misses,
  L2Misses,
  LlcMisses,
  StalledCycles,
  TaskClock,       ///< nanoseconds, by the system
  ContextSwitches  ///< by the system
};
inline constexpr std::array all_counters{Counter::Cycles,    Counter::Instructions,   Counter::L1Misses,
                                         Counter::L2Misses,  Counter::LlcMisses,      Counter::StalledCycles,
                                         Counter::TaskClock, Counter::ContextSwitches};

/** "cycles", "L1 misses", ...: for people. */
std::string_view to_string(Counter counter);

/** One counter of one thread, as the system read it. */
struct RawCount {
  std::uint64_t value = 0;
  std::uint64_t enabled_nanoseconds = 0;
  std::uint64_t running_nanoseconds = 0;  ///< less than enabled where counters took turns
};

/** A counter that counts for the thread that opened it; what tests have in place of the system's. */
class OpenCounter {
 public:
  virtual ~OpenCounter() = default;
  virtual void restart() = 0;                  ///< from zero, counting
  virtual void stop() = 0;                     ///< the value stays
  virtual std::optional<RawCount> read() = 0;  ///< none: the system gave none
};

/** Where counters come from. */
class CounterSource {
 public:
  virtual ~CounterSource() = default;
  /** For the calling thread, stopped; the error number where it can't be had: ENOENT, EACCES, EPERM, ENOSYS.
   */
  virtual std::unique_ptr<OpenCounter> open(Counter counter, int& error) = 0;
};

/** perf_event_open() of this system. */
CounterSource& system_counters();

/** Why a counter can't be had, in words with the way out. @param paranoid of
 * /proc/sys/kernel/perf_event_paranoid; none: not readable */
MissingCounter missing_counter(Counter counter, int error, std::optional<int> paranoid);

/** What this system's perf_event_paranoid is; none: not readable. */
std::optional<int> perf_event_paranoid();

/** The counters of several threads: each is opened, started and stopped by its own thread. */
class ThreadCounters {
 public:
  /** @param source outlives this */
  ThreadCounters(int threads, CounterSource& source);
  ~ThreadCounters();
  ThreadCounters(const ThreadCounters&) = delete;
  ThreadCounters& operator=(const ThreadCounters&) = delete;

  void open(int thread);   ///< by that thread, once
  void start(int thread);  ///< by that thread: from zero
  void stop(int thread);   ///< by that thread

  /** Sums over the threads, per call; after all have stopped. A counter that one thread lacks is missing. */
  CounterReading reading(double calls, double seconds) const;

 private:
  struct Member;
  /** What one counter gave over all threads. */
  struct Sum;
  Sum sum_of(Counter counter) const;

  CounterSource& source_;
  std::vector<Member> members_;
};

/** The reading of a kernel that starts threads itself, which no counter follows: all counters are missing. */
CounterReading uncounted_reading(double calls, double seconds);

/** What can't be counted here, asked by opening each counter once for the calling thread. */
std::vector<MissingCounter> missing_counters(CounterSource& source);

}  // namespace kernelscape
