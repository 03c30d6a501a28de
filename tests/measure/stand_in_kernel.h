#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/measure/worker/timing.h"

namespace kernelscape::measure_tests {

/** A kernel on a clock of its own. */
struct StandIn {
  std::function<double(std::int64_t call)> call_seconds;  ///< of the n-th call
  std::int64_t calls = 0;
  std::vector<std::int64_t> regions = {};
  std::vector<double> region_seconds = {};
  std::uint64_t switches = 0;
  std::size_t disturbed_from = SIZE_MAX;  ///< regions from here on are preempted
  std::size_t disturbed_to = SIZE_MAX;
  int flushes = 0;
  std::function<double(std::size_t region)> waited = {};  ///< seconds on the run queue; empty: not known
  std::uint64_t switches_before = 0;
  double waited_since = 0;
  /** CPU seconds of the n-th call; empty: not known. Regions are watched for interruptions by `watched`. */
  std::function<double(std::int64_t call)> worked_seconds = {};
  double worked = 0;

  measure::TimedKernel timed() {
    return {.run =
                [this](std::int64_t count) {
                  double seconds = 0;
                  for (std::int64_t i = 0; i < count; ++i) {
                    if (worked_seconds) worked += worked_seconds(calls);
                    seconds += call_seconds(calls++);
                  }
                  if (regions.size() >= disturbed_from && regions.size() < disturbed_to) ++switches;
                  if (waited) waited_since += waited(regions.size());
                  regions.push_back(count);
                  region_seconds.push_back(seconds);
                  return seconds;
                },
            .watch =
                [this] {
                  switches_before = switches;
                  waited_since = 0;
                },
            .lost =
                [this] {
                  measure::LostTime lost{.preemptions = switches - switches_before};
                  if (waited) lost.longest_wait_seconds = waited_since;
                  return lost;
                },
            .flush_caches = [this] { ++flushes; }};
  }
};

}  // namespace kernelscape::measure_tests
