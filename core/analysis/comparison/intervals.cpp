#include "core/analysis/comparison/intervals.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace kernelscape {
namespace {

constexpr double normal_quantile_95 = 1.959963984540054;
constexpr std::int64_t few_degrees = 200;

/** P(|T| <= t): a finite sum for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4). */
double student_coverage(double t, std::int64_t degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double sum = 0;
  double term = odd ? cosine : 1;
  for (std::int64_t power = odd ? 1 : 0; power <= degrees - 2; power += 2) {
    sum += term;
    const auto k = static_cast<double>(power);
    term *= cosine * cosine * (k + 1) / (k + 2);
  }
  return odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
}

}  // namespace

double student_quantile_95(std::int64_t degrees_of_freedom) {
  if (degrees_of_freedom > few_degrees) {
    // Cornish and Fisher's expansion: off by less than 1e-6 here.
    const double z = normal_quantile_95;
    const auto n = static_cast<double>(degrees_of_freedom);
    return z + (std::pow(z, 3) + z) / (4 * n) +
           (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / (96 * n * n);
  }
  ConfidenceInterval bracket{normal_quantile_95, 13};  // 12.7 with one degree
  for (int i = 0; i < 60; ++i) {
    const double middle = std::midpoint(bracket.low, bracket.high);
    (student_coverage(middle, degrees_of_freedom) < 0.95 ? bracket.low : bracket.high) = middle;
  }
  return bracket.high;
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
  // Rounding must not exclude what was seen.
  return {successes == 0 ? 0 : std::max(0.0, centre - half_width),
          successes == trials ? 1 : std::min(1.0, centre + half_width)};
}

}  // namespace kernelscape
