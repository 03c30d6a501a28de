#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kernelscape::surrogate {

/**
 * Features as positions in each column's ascending list of bins: one bin per distinct value, or groups of
 * neighbouring values if there are more values than requested bins. Trees split between bins.
 */
class BinnedFeatures {
 public:
  static constexpr std::size_t max_bins = 65'536;

  /**
   * @param features rows of finite numbers, one after the other; a multiple of `columns` of them
   * @param bins maximum number per column: 1 to max_bins
   */
  BinnedFeatures(std::span<const float> features, std::size_t columns, std::size_t bins);

  std::size_t rows() const { return rows_; }               ///< number of rows of the features
  std::size_t columns() const { return columns_.size(); }  ///< features per row
  /** Returns the number of bins of a column: at least 1, at most the requested number. */
  std::size_t bins(std::size_t column) const { return columns_[column].lowest.size(); }

  /** Returns the bin of each row. */
  std::span<const std::uint16_t> codes(std::size_t column) const { return columns_[column].codes; }

  /**
   * Returns the threshold halfway between two bins: the values of `lower` are at most equal to it, those of
   * `upper` above it.
   */
  float threshold(std::size_t column, std::size_t lower, std::size_t upper) const;

 private:
  struct Column {
    std::vector<float> lowest;   ///< lowest value of each bin
    std::vector<float> highest;  ///< highest value of each bin
    std::vector<std::uint16_t> codes;
  };

  std::vector<Column> columns_;
  std::size_t rows_ = 0;
};

}  // namespace kernelscape::surrogate
