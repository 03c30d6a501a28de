#include "ui/views/explore/explore_intervals.h"

#include "core/analysis/intervals.h"

namespace kernelscape {

std::pair<double, double> share_interval_95(std::int64_t successes, std::int64_t trials) {
  const auto interval = wilson_interval_95(successes, trials);
  return {interval.low, interval.high};
}

}  // namespace kernelscape
