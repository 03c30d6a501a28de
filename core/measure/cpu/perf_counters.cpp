#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "core/base/read_file.h"
#include "core/measure/cpu/counters.h"
#include "core/measure/cpu/perf_event.h"

namespace kernelscape::measure {
namespace {

/** The name of an event for perf_event_open(); type PERF_TYPE_MAX: this processor has no such event. */
struct EventName {
  std::uint32_t type = PERF_TYPE_MAX;
  std::uint64_t config = 0;
};

constexpr EventName missed_reads(std::uint64_t cache) {
  return {PERF_TYPE_HW_CACHE,
          cache | (PERF_COUNT_HW_CACHE_OP_READ << 8) | (PERF_COUNT_HW_CACHE_RESULT_MISS << 16)};
}

/**
 * Returns the event of L2 misses. Linux has no name for it: event and unit mask are those of the processors'
 * manuals.
 */
EventName l2_misses() {
  constexpr std::uint64_t intel_l2_rqsts_miss = 0x3f24;         // Intel since Skylake
  constexpr std::uint64_t amd_l2_cache_req_stat_miss = 0x0864;  // AMD Zen: data cache requests that miss
  const std::string cpuinfo = base::read_system_file("/proc/cpuinfo");
  if (cpuinfo.find("GenuineIntel") != std::string::npos) return {PERF_TYPE_RAW, intel_l2_rqsts_miss};
  if (cpuinfo.find("AuthenticAMD") != std::string::npos) return {PERF_TYPE_RAW, amd_l2_cache_req_stat_miss};
  return {};
}

EventName event_of(Counter counter) {
  switch (counter) {
    case Counter::Cycles:
      return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES};
    case Counter::Instructions:
      return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS};
    case Counter::L1Misses:
      return missed_reads(PERF_COUNT_HW_CACHE_L1D);
    case Counter::L2Misses: {
      static const EventName name = l2_misses();
      return name;
    }
    case Counter::LlcMisses:
      return missed_reads(PERF_COUNT_HW_CACHE_LL);
    case Counter::TlbMisses:
      return missed_reads(PERF_COUNT_HW_CACHE_DTLB);
    case Counter::StalledCycles:
      return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND};
    case Counter::TaskClock:
      return {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK};
    case Counter::ContextSwitches:
      break;
  }
  return {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES};
}

/** A counter of an event of the system. */
class PerfCounter final : public OpenCounter {
 public:
  explicit PerfCounter(UniqueFd file) : file_(std::move(file)) {}

  void restart() override {
    // The times can't be reset: they are counted relative to these values.
    before_ = read_file().value_or(RawCount{});
    ioctl(file_.get(), PERF_EVENT_IOC_ENABLE, 0);
  }
  void stop() override { ioctl(file_.get(), PERF_EVENT_IOC_DISABLE, 0); }
  std::optional<RawCount> read() override {
    std::optional<RawCount> count = read_file();
    if (!count) return count;
    count->value -= before_.value;
    count->enabled_nanoseconds -= before_.enabled_nanoseconds;
    count->running_nanoseconds -= before_.running_nanoseconds;
    return count;
  }

 private:
  std::optional<RawCount> read_file() const {
    RawCount count;  // value, time enabled, time running: the order set by the read format
    return ::read(file_.get(), &count, sizeof count) == sizeof count ? std::optional(count) : std::nullopt;
  }

  UniqueFd file_;
  RawCount before_;
};

class PerfCounters final : public CounterSource {
 public:
  std::unique_ptr<OpenCounter> open(Counter counter, int& error) override {
    const EventName name = event_of(counter);
    error = ENOENT;
    if (name.type == PERF_TYPE_MAX) return nullptr;
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = name.type;
    attributes.config = name.config;
    attributes.disabled = 1;
    // Only user-mode events are counted: others need more privileges. A context switch happens in the system.
    attributes.exclude_kernel = counter == Counter::ContextSwitches ? 0 : 1;
    attributes.exclude_hv = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    UniqueFd file = open_perf_event(attributes, error);
    if (!file.valid()) return nullptr;
    return std::make_unique<PerfCounter>(std::move(file));
  }
};

}  // namespace

CounterSource& system_counters() {
  static PerfCounters counters;
  return counters;
}

}  // namespace kernelscape::measure
