#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kernelscape::analysis {

/**
 * The values of a column as a few bins in ascending order: one bin per distinct value if there are few, else
 * ranges. Numbers that are not finite (a failed trial's speed) are in no bin. Immutable.
 */
class ValueBins {
 public:
  static constexpr std::int32_t no_bin = -1;

  /**
   * Makes a bin per distinct value, or beyond `most` distinct values at most that many ranges with about
   * equal numbers of rows; rows with equal values share a range.
   * @param values by row of the table
   * @param rows the rows to use
   * @param most at least 1
   */
  static ValueBins by_rank(std::span<const double> values, std::span<const std::int64_t> rows,
                           std::size_t most);

  /**
   * Makes a bin per distinct value, or beyond `most` distinct values that many ranges of equal width.
   * @param logarithmic uses ranges of equal ratio if all values are positive
   */
  static ValueBins by_width(std::span<const double> values, std::span<const std::int64_t> rows,
                            std::size_t most, bool logarithmic);

  std::size_t count() const { return low_.size(); }  ///< number of bins; 0 if no row has a finite value
  bool exact() const { return exact_; }              ///< every bin is one value

  /** Returns the lower end of a bin: its minimum value, or its edge for by_width(). */
  double low(std::size_t bin) const { return low_[bin]; }
  /**
   * Returns the upper end of a bin: its maximum value, or for by_width() its edge, which is the lower edge of
   * the next bin. Equal to low(bin) if the bins are exact.
   */
  double high(std::size_t bin) const { return high_[bin]; }

  /**
   * Returns the bin of a value, and the outermost bin beyond the ends. Returns no_bin if the value is not
   * finite, or not among exact values.
   */
  std::int32_t find(double value) const;

 private:
  ValueBins() = default;
  bool take_distinct(std::span<const double> values, std::span<const std::int64_t> rows, std::size_t most);
  void fill_slots(std::size_t slots);
  std::size_t slot_of(double value) const;

  std::vector<double> low_;
  std::vector<double> high_;
  bool exact_ = false;
  // An open-addressing table finds exact bins: binary search for a million rows would dominate the time of a
  // chart.
  std::vector<double> slot_values_;
  std::vector<std::int32_t> slot_bins_;
  int shift_ = 0;
};

}  // namespace kernelscape::analysis
