#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/landscape/performance_column.h"
#include "core/analysis/landscape/value_bins.h"

namespace kernelscape::analysis {

/** How much data a cell has. */
enum class HeatCellState : std::uint8_t {
  Unmeasured,  ///< no rows
  AllInvalid,
  Few,  ///< fewer than five valid rows: too few for a mean
  Enough
};

struct HeatCell {
  std::int64_t count = 0;
  std::int64_t valid = 0;
  std::int64_t best_row = -1;  ///< the first of equally good ones; -1: no valid row
  double best = 0;             ///< 0 without a valid row
  double mean = 0;             ///< of the valid rows; 0 without any

  HeatCellState state() const;  ///< Enough from five valid rows on
  /** Returns the share of valid rows in the cell, 0 to 1; 0 without any rows. */
  double share_valid() const {
    return count == 0 ? 0 : static_cast<double>(valid) / static_cast<double>(count);
  }
};

/** The rows of a table grouped by two columns. */
struct HeatMap {
  /** Per axis; beyond, ranges with about equal numbers of rows. */
  static constexpr std::size_t max_values = 64;

  ValueBins x;
  ValueBins y;
  std::vector<HeatCell> cells;     ///< y.count() lines of x.count(), both ascending
  std::int64_t without_value = 0;  ///< rows that lack at least one of the two values

  /** Returns the cell of a bin of `x` and a bin of `y`. */
  const HeatCell& at(std::size_t x_bin, std::size_t y_bin) const { return cells[y_bin * x.count() + x_bin]; }
};

/**
 * Computes the heat map of two columns.
 * @param x_values, y_values of the columns, by row of the table
 * @param rows ascending
 */
HeatMap heat_map(std::span<const double> x_values, std::span<const double> y_values,
                 const PerformanceColumn& performance, std::span<const std::int64_t> rows);

}  // namespace kernelscape::analysis
