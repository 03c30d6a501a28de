#include "core/analysis/comparison/intervals.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace kernelscape::analysis {
namespace {

constexpr double normal_quantile_95 = 1.959963984540054;
}  // namespace

double student_quantile_95(std::int64_t degrees_of_freedom) {
  const boost::math::students_t distribution(static_cast<double>(degrees_of_freedom));
  return boost::math::quantile(boost::math::complement(distribution, 0.025));
}

std::optional<ConfidenceInterval> mean_interval_95(std::span<const double> samples) {
  if (samples.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(samples.size());
  double mean = 0;
  for (const double sample : samples) mean += sample / n;
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  const double half_width =
      student_quantile_95(static_cast<std::int64_t>(samples.size()) - 1) * std::sqrt(squares / (n - 1) / n);
  return ConfidenceInterval{mean - half_width, mean + half_width};
}

ConfidenceInterval wilson_interval_95(std::int64_t successes, std::int64_t trials) {
  if (trials == 0) return {0, 1};
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(successes) / n;
  const double square = normal_quantile_95 * normal_quantile_95;
  const double centre = (share + square / (2 * n)) / (1 + square / n);
  const double half_width =
      normal_quantile_95 / (1 + square / n) * std::sqrt(share * (1 - share) / n + square / (4 * n * n));
  // Rounding must not exclude the observed share.
  return {successes == 0 ? 0 : std::max(0.0, centre - half_width),
          successes == trials ? 1 : std::min(1.0, centre + half_width)};
}

}  // namespace kernelscape::analysis
