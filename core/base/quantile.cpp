#include "core/base/quantile.h"

#include <algorithm>

namespace kernelscape::base {

double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  return sorted_quantile(values, q);
}

double sorted_quantile(std::span<const double> values, double q) {
  if (values.empty()) return 0;
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double fraction = position - static_cast<double>(below);
  if (fraction == 0) return values[below];
  return values[below] + fraction * (values[below + 1] - values[below]);
}

}  // namespace kernelscape::base
