#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/schedule/loop_touches.h"

namespace kernelscape::testing {

/** AutoTVM's relation feature as it is written down: sorted sequences and a search from their end. */
inline std::vector<float> slow_curve(const std::vector<schedule::TouchedLoop>& loops, int samples) {
  std::vector<float> row;
  for (std::size_t tensor = 0; tensor < 3; ++tensor) {
    std::vector<double> count{0};
    std::vector<double> reuse{0};
    std::vector<double> topdown{0};
    for (const schedule::TouchedLoop& loop : loops) {
      count.push_back(std::log2(static_cast<double>(loop.touches[tensor].count)));
      reuse.push_back(std::log2(static_cast<double>(loop.touches[tensor].reuse)));
      topdown.push_back(std::log2(static_cast<double>(loop.topdown)));
    }
    for (auto* sequence : {&count, &reuse, &topdown}) std::ranges::sort(*sequence);
    const auto relate = [&](const std::vector<double>& x, const std::vector<double>& y) {
      for (int s = 0; s < samples; ++s) {
        std::size_t j = x.size() - 1;
        while (s < x[j] - 1e-6) --j;
        row.push_back(static_cast<float>(y[j]));
        row.push_back(static_cast<float>(s - x[j]));
      }
    };
    relate(count, reuse);
    relate(reuse, count);
    relate(count, topdown);
    relate(topdown, count);
  }
  return row;
}

}  // namespace kernelscape::testing
