#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace kernelscape {

/** Five numbers of a sample, by linear interpolation; all zero for an empty one. */
struct Quartiles {
  std::size_t count = 0;
  double minimum = 0;
  double first = 0;
  double median = 0;
  double third = 0;
  double maximum = 0;

  bool operator==(const Quartiles&) const = default;
};

/** Of numbers in any order; they are copied and sorted. */
Quartiles quartiles(std::span<const double> samples);

/** An interval that holds the population's median. */
struct MedianInterval {
  double low = 0;
  double high = 0;
  double coverage = 0;  ///< the exact probability, at least what was asked for
};

/**
 * The narrowest symmetric interval between two order statistics that covers the median of whatever
 * distribution the samples come from with at least `confidence` (binomial with p = 1/2; nothing is
 * resampled). None where even minimum and maximum do not reach it: 0.95 takes six samples.
 */
std::optional<MedianInterval> median_interval(std::span<const double> samples, double confidence = 0.95);

}  // namespace kernelscape
