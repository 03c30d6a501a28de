#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace kernelscape::analysis {

/**
 * Number, minimum, quartiles and maximum of a sample, by linear interpolation; all zero for an empty sample.
 */
struct Quartiles {
  std::size_t count = 0;
  double minimum = 0;
  double first = 0;
  double median = 0;
  double third = 0;
  double maximum = 0;

  bool operator==(const Quartiles&) const = default;
};

/** Computes the quartiles of numbers in any order, from a sorted copy. */
Quartiles quartiles(std::span<const double> samples);

/** A confidence interval of the population's median. */
struct MedianInterval {
  double low = 0;
  double high = 0;
  double coverage = 0;  ///< the exact probability, at least the requested confidence
};

/**
 * Returns the narrowest symmetric interval between two order statistics that contains the median of any
 * distribution with at least `confidence` (binomial with p = 1/2; no resampling). Returns nullopt if even
 * minimum and maximum do not reach it: 0.95 takes six samples.
 */
std::optional<MedianInterval> median_interval(std::span<const double> samples, double confidence = 0.95);

}  // namespace kernelscape::analysis
