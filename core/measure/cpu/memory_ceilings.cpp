#include "core/measure/cpu/memory_ceilings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <optional>

#include "core/base/text.h"
#include "core/measure/cpu/machine_limits.h"
#include "core/measure/worker/timing_mark.h"

namespace kernelscape::measure {
namespace {

constexpr double min_memory_set_bytes = 256.0 * (1 << 20);
constexpr double memory_set_over_l3 = 4;
constexpr double share_of_free_memory = 0.25;
constexpr double min_set_of_thread_bytes = 4096;

std::string threads_text(int threads) {
  return threads == 1 ? "1 thread" : fmt::format("{} threads", threads);
}

double free_memory_bytes() {
  return static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/**
 * Returns the working set of all threads together; nullopt if the level can't be distinguished from another
 * one.
 */
std::optional<double> working_set_of_l3(const schedule::TargetDescription& target, int threads) {
  const double share = static_cast<double>(target.l3_bytes) / threads;
  const auto l2 = static_cast<double>(target.l2_bytes);
  // Data in L2 are not read from L3.
  const double of_thread = std::max(share / 2, 2 * l2);
  return of_thread <= share ? std::optional(of_thread * threads) : std::nullopt;
}

std::optional<double> working_set_of_memory(const schedule::TargetDescription& target) {
  const double nearer = std::max(static_cast<double>(target.l3_bytes), static_cast<double>(target.l2_bytes));
  const double wanted = std::max(min_memory_set_bytes, memory_set_over_l3 * nearer);
  const double bytes = std::min(wanted, share_of_free_memory * free_memory_bytes());
  return bytes > 2 * nearer ? std::optional(bytes) : std::nullopt;
}

/** Measures level by level, and adds a notice for each level that it skips. */
class CeilingSurvey {
 public:
  CeilingSurvey(const schedule::TargetDescription& target, int threads,
                const std::function<bool()>& cancelled)
      : target_(target), threads_(threads), cancelled_(cancelled) {
    ceilings_.threads = threads;
  }

  trial::MachineCeilings run() && {
    if (keep_going()) {
      ceilings_.peak_gflops = measure_fma_peak(target_, threads_);
      ceilings_.byte_peak_gflops = measure_byte_peak(target_, threads_);
    }
    const double all = threads_;
    add_cache(base::MemoryLevel::L1, target_.l1_bytes, static_cast<double>(target_.l1_bytes) / 2 * all);
    add_cache(base::MemoryLevel::L2, target_.l2_bytes, static_cast<double>(target_.l2_bytes) / 2 * all);
    add_l3();
    add_memory();
    ceilings_.measured_utc = base::utc_now();
    if (!cut_short_)
      for (std::string& doubt : trial::doubts_about(ceilings_)) ceilings_.notices.push_back(std::move(doubt));
    return std::move(ceilings_);
  }

 private:
  bool keep_going() {
    cut_short_ = cut_short_ || (cancelled_ && cancelled_());
    return !cut_short_;
  }

  void notice(std::string text) { ceilings_.notices.push_back(std::move(text)); }

  void add(base::MemoryLevel level, double working_set_bytes) {
    if (!keep_going()) return;
    try {
      const double speed = measure_read_bandwidth(target_, threads_, working_set_bytes);
      ceilings_.levels.push_back({level, speed, working_set_bytes});
    } catch (const std::bad_alloc&) {
      notice(fmt::format("{} was not measured: there is not enough memory for the working set",
                         base::to_string(level)));
    }
  }

  void add_cache(base::MemoryLevel level, std::int64_t bytes, double working_set_bytes) {
    if (bytes == 0)
      return notice(
          fmt::format("{} was not measured: the system does not report it", base::to_string(level)));
    if (working_set_bytes < min_set_of_thread_bytes * threads_)
      return notice(fmt::format("{} is too small to be measured", base::to_string(level)));
    add(level, working_set_bytes);
  }

  void add_l3() {
    const std::optional<double> bytes = working_set_of_l3(target_, threads_);
    if (bytes || target_.l3_bytes == 0)
      return add_cache(base::MemoryLevel::L3, target_.l3_bytes, bytes.value_or(0));
    notice(fmt::format("L3 was not measured: a thread's share of it, of {}, is no larger than its L2",
                       threads_text(threads_)));
  }

  void add_memory() {
    if (const std::optional<double> bytes = working_set_of_memory(target_))
      return add(base::MemoryLevel::Memory, *bytes);
    notice(
        "memory was not measured: not enough memory is free for a working set larger than the caches; end "
        "other programs");
  }

  const schedule::TargetDescription& target_;
  int threads_;
  const std::function<bool()>& cancelled_;
  bool cut_short_ = false;
  trial::MachineCeilings ceilings_;
};

}  // namespace

std::string machine_key(const schedule::TargetDescription& target, int threads) {
  return fmt::format("{}, {}, {}", target.device, target.isa, threads_text(threads));
}

trial::MachineCeilings measure_machine_ceilings(const schedule::TargetDescription& target, int threads,
                                                const std::function<bool()>& cancelled) {
  if (target.kind != schedule::TargetKind::Cpu) {
    trial::MachineCeilings none;
    none.notices.emplace_back(
        "ceilings of each level are measured for CPUs only; use the profiler of the GPU's vendor");
    return none;
  }
  TimingMark mark;
  const TimingMark::Scope timing(mark);
  return CeilingSurvey(target, std::max(1, threads), cancelled).run();
}

}  // namespace kernelscape::measure
