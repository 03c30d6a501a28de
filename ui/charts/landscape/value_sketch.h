#pragma once

#include <array>
#include <cstdint>

namespace kernelscape::charts {

/** Quantiles of positive numbers in constant memory and time: counts of logarithmic classes 2 % wide. */
class ValueSketch {
 public:
  /** Adds a value; zero, negative numbers, NaN and infinity are ignored. */
  void add(double value);
  std::uint64_t count() const { return count_; }  ///< Returns the number of values that were not ignored
  /**
   * Returns a value within 2 % of the quantile: the value below which this share of the values lies; 0 if
   * there are no values.
   */
  double quantile(double share) const;

 private:
  static constexpr int classes_per_octave = 32;
  static constexpr int lowest_octave = -64;
  static constexpr int octaves = 128;

  std::array<std::uint64_t, std::size_t{classes_per_octave} * octaves> counts_{};
  std::uint64_t count_ = 0;
};

}  // namespace kernelscape::charts
