#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kernelscape {

/**
 * The values of a column as a few bins in ascending order: one bin per distinct value where these are few,
 * else ranges. Numbers that are not finite (a failed trial's speed) are in no bin. Immutable.
 */
class ValueBins {
 public:
  static constexpr std::int32_t no_bin = -1;

  /**
   * Beyond `most` distinct values at most so many ranges that hold about equally many rows; rows of one value
   * stay together.
   * @param values by row of the table; rows: which of them
   * @param most at least 1
   */
  static ValueBins by_rank(std::span<const double> values, std::span<const std::int64_t> rows,
                           std::size_t most);

  /**
   * Beyond `most` distinct values `most` ranges of equal width.
   * @param logarithmic of equal ratio instead, where all values are positive
   */
  static ValueBins by_width(std::span<const double> values, std::span<const std::int64_t> rows,
                            std::size_t most, bool logarithmic);

  std::size_t count() const { return low_.size(); }  ///< bins; 0 where no row has a finite value
  bool exact() const { return exact_; }              ///< every bin is one value

  /** Ends of a bin: its least and greatest value; of `by_width` its edges, the upper one the next bin's. */
  double low(std::size_t bin) const { return low_[bin]; }
  /** At least low(bin), equal to it where the bins are exact. */
  double high(std::size_t bin) const { return high_[bin]; }

  /** The outermost bin beyond the ends; no_bin where it is not finite, or none of the exact values. */
  std::int32_t find(double value) const;

 private:
  ValueBins() = default;
  bool take_distinct(std::span<const double> values, std::span<const std::int64_t> rows, std::size_t most);
  void fill_slots(std::size_t slots);
  std::size_t slot_of(double value) const;

  std::vector<double> low_;
  std::vector<double> high_;
  bool exact_ = false;
  // Exact bins by an open-addressing table: a search in a million rows would cost most of a chart's time.
  std::vector<double> slot_values_;
  std::vector<std::int32_t> slot_bins_;
  int shift_ = 0;
};

}  // namespace kernelscape
