#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace kernelscape::analysis {

struct ConfidenceInterval {
  double low = 0;
  double high = 0;

  bool operator==(const ConfidenceInterval&) const = default;
};

/**
 * Returns the half width of Student's two-sided 95 % interval in standard errors. @param degrees_of_freedom
 * at least 1
 */
double student_quantile_95(std::int64_t degrees_of_freedom);

/**
 * Returns the 95 % confidence interval of the mean by Student's t distribution, or nullopt below two samples.
 */
std::optional<ConfidenceInterval> mean_interval_95(std::span<const double> samples);

/** Returns the 95 % confidence interval of a share by Wilson's score (1927), or [0, 1] without trials. */
ConfidenceInterval wilson_interval_95(std::int64_t successes, std::int64_t trials);

}  // namespace kernelscape::analysis
