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

  TimedKernel timed() {
    return {.run =
                [this](std::int64_t count) {
                  double seconds = 0;
                  for (std::int64_t i = 0; i < count; ++i) seconds += call_seconds(calls++);
                  if (regions.size() >= disturbed_from && regions.size() < disturbed_to) ++switches;
                  regions.push_back(count);
                  region_seconds.push_back(seconds);
                  return seconds;
                },
            .preemptions = [this] { return switches; },
            .flush_caches = [this] { ++flushes; }};
  }
};

}  // namespace kernelscape::measure_tests
