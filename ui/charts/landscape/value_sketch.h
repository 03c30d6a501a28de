#pragma once

#include <array>
#include <cstdint>

namespace kernelscape {

/** Quantiles of positive numbers in constant memory and time: counts of logarithmic classes 2 % wide. */
class ValueSketch {
 public:
  /** Zero, negative numbers, NaN and infinity are left out. */
  void add(double value);
  std::uint64_t count() const { return count_; }  ///< of values that were not left out
  /** Within 2 % of a value with that share of values below; 0 for none. */
  double quantile(double share) const;

 private:
  static constexpr int classes_per_octave = 32;
  static constexpr int lowest_octave = -64;
  static constexpr int octaves = 128;

  std::array<std::uint64_t, std::size_t{classes_per_octave} * octaves> counts_{};
  std::uint64_t count_ = 0;
};

}  // namespace kernelscape
