#include "core/measure/cpu/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "core/base/read_file.h"
#include "core/measure/cpu/sampler.h"

namespace kernelscape::measure {
namespace {

constexpr double nanoseconds_per_second = 1e9;
/**
 * From this perf_event_paranoid on, a process may not count its own events (Debian, Android), nor those of
 * the system on its behalf.
 */
constexpr int paranoid_of_own_work = 3;
constexpr int paranoid_of_system_work = 2;

constexpr const char* paranoid_hint =
    "run `sudo sysctl kernel.perf_event_paranoid=1`, which lasts until the next reboot; or give "
    "kernelscape-worker the capability CAP_PERFMON";

std::optional<double>* counted_value(trial::CounterReading& reading, Counter counter) {
  switch (counter) {
    case Counter::Cycles:
      return &reading.cycles;
    case Counter::Instructions:
      return &reading.instructions;
    case Counter::L1Misses:
      return &reading.l1_misses;
    case Counter::L2Misses:
      return &reading.l2_misses;
    case Counter::LlcMisses:
      return &reading.llc_misses;
    case Counter::TlbMisses:
      return &reading.tlb_misses;
    case Counter::StalledCycles:
      return &reading.stalled_cycles;
    case Counter::TaskClock:
      return &reading.task_clock_seconds;
    case Counter::ContextSwitches:
      break;
  }
  return &reading.context_switches;
}

trial::MissingCounter refused_counter(trial::MissingCounter missing, int refusing_paranoid,
                                      std::optional<int> paranoid) {
  if (paranoid && *paranoid >= refusing_paranoid) {
    missing.reason = fmt::format("the system refuses it: perf_event_paranoid is {}", *paranoid);
    missing.hint = paranoid_hint;
  } else if (paranoid) {
    missing.reason = fmt::format(
        "the system refuses it although perf_event_paranoid is {}: a container or another security rule "
        "forbids counters",
        *paranoid);
    missing.hint =
        "start the program outside of the container, or allow perf_event_open and CAP_PERFMON in it";
  } else {
    missing.reason = "the system refuses it, and the value of perf_event_paranoid is not readable";
    missing.hint = paranoid_hint;
  }
  return missing;
}

}  // namespace

std::string_view to_string(Counter counter) {
  switch (counter) {
    case Counter::Cycles:
      return "cycles";
    case Counter::Instructions:
      return "instructions";
    case Counter::L1Misses:
      return "L1 misses";
    case Counter::L2Misses:
      return "L2 misses";
    case Counter::LlcMisses:
      return "last-level cache misses";
    case Counter::TlbMisses:
      return "TLB misses";
    case Counter::StalledCycles:
      return "stalled cycles";
    case Counter::TaskClock:
      return "processor time";
    case Counter::ContextSwitches:
      break;
  }
  return "context switches";
}

std::optional<int> perf_event_paranoid() {
  std::istringstream file(base::read_system_file("/proc/sys/kernel/perf_event_paranoid"));
  int value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

namespace {

/** @param refusing_paranoid the lowest perf_event_paranoid that refuses the event */
trial::MissingCounter missing_event(std::string_view name, int error, std::optional<int> paranoid,
                                    int refusing_paranoid) {
  trial::MissingCounter missing{std::string(name), {}, {}};
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      missing.reason =
          "the processor does not provide it: most virtual machines have no counters, and not every "
          "processor has all of them";
      missing.hint =
          "run on the physical machine, or enable performance counters (vPMU) in the virtual machine";
      return missing;
    case EACCES:
    case EPERM:
      return refused_counter(std::move(missing), refusing_paranoid, paranoid);
    case ENOSYS:
      missing.reason = "this system has no perf_event_open";
      missing.hint = "use a kernel built with CONFIG_PERF_EVENTS; some containers remove it";
      return missing;
    case EMFILE:
    case ENFILE:
      missing.reason = "too many files are open: each counter of each thread uses a file descriptor";
      missing.hint = "raise the limit with `ulimit -n`, or count with fewer threads";
      return missing;
    case 0:
      missing.reason = "it was opened but gave no value: other programs use the processor's counters";
      missing.hint = "end other profilers, then count again";
      return missing;
    default:
      missing.reason = std::strerror(error);
      return missing;
  }
}

}  // namespace

trial::MissingCounter missing_counter(Counter counter, int error, std::optional<int> paranoid) {
  return missing_event(to_string(counter), error, paranoid,
                       counter == Counter::ContextSwitches ? paranoid_of_system_work : paranoid_of_own_work);
}

trial::MissingCounter missing_samples(int error, std::optional<int> paranoid) {
  return missing_event(samples_name, error, paranoid, paranoid_of_own_work);
}

/** The counters that one thread opened. */
struct ThreadCounters::Member {
  struct Slot {
    std::unique_ptr<OpenCounter> counter = {};  ///< null: not available
    int error = 0;                              ///< error of the failed open
  };
  std::array<Slot, all_counters.size()> slots = {};
};

struct ThreadCounters::Sum {
  std::optional<double> value;  ///< scaled to the whole time; nullopt: one thread lacks it
  double counted_share = 1;     ///< the smallest share of all threads
  int error = 0;                ///< error of the first thread that lacks the counter; 0: it gave no value
};

ThreadCounters::ThreadCounters(int threads, CounterSource& source)
    : source_(source), members_(static_cast<std::size_t>(threads)) {}

ThreadCounters::~ThreadCounters() = default;

void ThreadCounters::open(int thread) {
  Member& member = members_[static_cast<std::size_t>(thread)];
  for (std::size_t i = 0; i < all_counters.size(); ++i)
    member.slots[i].counter = source_.open(all_counters[i], member.slots[i].error);
}

void ThreadCounters::start(int thread) {
  for (Member::Slot& slot : members_[static_cast<std::size_t>(thread)].slots)
    if (slot.counter) slot.counter->restart();
}

void ThreadCounters::stop(int thread) {
  for (Member::Slot& slot : members_[static_cast<std::size_t>(thread)].slots)
    if (slot.counter) slot.counter->stop();
}

/**
 * Sums a counter over the threads. Multiplexed counters are scaled by the share of the time in which they
 * ran.
 */
ThreadCounters::Sum ThreadCounters::sum_of(Counter counter) const {
  Sum sum{0, 1, 0};
  for (const Member& member : members_) {
    const Member::Slot& slot = member.slots[static_cast<std::size_t>(counter)];
    if (!slot.counter) return {std::nullopt, 1, slot.error};
    const std::optional<RawCount> count = slot.counter->read();
    const bool ran = count && (count->running_nanoseconds > 0 || count->enabled_nanoseconds == 0);
    if (!ran) return {std::nullopt, 1, 0};
    double share = 1;
    if (count->enabled_nanoseconds > 0)
      share = std::min(1.0, static_cast<double>(count->running_nanoseconds) /
                                static_cast<double>(count->enabled_nanoseconds));
    *sum.value += static_cast<double>(count->value) / share;
    sum.counted_share = std::min(sum.counted_share, share);
  }
  return sum;
}

trial::CounterReading ThreadCounters::reading(double calls, double seconds) const {
  trial::CounterReading reading;
  reading.calls = calls;
  reading.seconds = seconds / std::max(calls, 1.0);
  reading.threads = static_cast<std::int32_t>(members_.size());
  const std::optional<int> paranoid = perf_event_paranoid();
  for (const Counter counter : all_counters) {
    const Sum sum = sum_of(counter);
    if (!sum.value) {
      reading.missing.push_back(missing_counter(counter, sum.error, paranoid));
      continue;
    }
    reading.counted_share = std::min(reading.counted_share, sum.counted_share);
    const double unit = counter == Counter::TaskClock ? 1 / nanoseconds_per_second : 1;
    *counted_value(reading, counter) = *sum.value * unit / std::max(calls, 1.0);
  }
  return reading;
}

trial::CounterReading uncounted_reading(double calls, double seconds) {
  trial::CounterReading reading;
  reading.calls = calls;
  reading.seconds = seconds / std::max(calls, 1.0);
  for (const Counter counter : all_counters)
    reading.missing.push_back(
        {std::string(to_string(counter)),
         "the kernel starts threads itself, and only the one that calls it can be counted",
         "count with OMP_NUM_THREADS=1, or write the kernel in parts (kernelscape.Parts)"});
  return reading;
}

std::vector<trial::MissingCounter> missing_counters(CounterSource& source) {
  std::vector<trial::MissingCounter> missing;
  const std::optional<int> paranoid = perf_event_paranoid();
  for (const Counter counter : all_counters) {
    int error = 0;
    if (!source.open(counter, error)) missing.push_back(missing_counter(counter, error, paranoid));
  }
  return missing;
}

}  // namespace kernelscape::measure
