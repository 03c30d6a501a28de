#include "core/analysis/order_statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/quantile.h"
#include "core/trial/measurement.h"

namespace kernelscape::analysis {

Quartiles quartiles(std::span<const double> samples) {
  std::vector<double> values(samples.begin(), samples.end());
  if (values.empty()) return {};
  std::ranges::sort(values);
  return {.count = values.size(),
          .minimum = values.front(),
          .first = base::sorted_quantile(values, 0.25),
          .median = base::sorted_quantile(values, 0.5),
          .third = base::sorted_quantile(values, 0.75),
          .maximum = values.back()};
}

std::optional<MedianInterval> median_interval(std::span<const double> samples, double confidence) {
  std::vector<double> values(samples.begin(), samples.end());
  std::ranges::sort(values);
  std::optional<MedianInterval> interval;
  const auto n = static_cast<double>(values.size());
  // P(exactly `rank` of n fair coins), as a logarithm, so that many samples do not underflow.
  double log_probability = -n * std::log(2.0);
  double tail =
      0;  // P(the median lies below the order statistic `rank`); by symmetry also above its mirror image
  for (std::size_t rank = 0; 2 * rank + 1 < values.size(); ++rank) {
    tail += std::exp(log_probability);
    const double coverage = 1 - 2 * tail;
    if (coverage < confidence) break;
    interval = MedianInterval{values[rank], values[values.size() - 1 - rank], coverage};
    const auto k = static_cast<double>(rank);
    log_probability += std::log((n - k) / (k + 1));
  }
  return interval;
}

}  // namespace kernelscape::analysis
