#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/landscape/performance_column.h"
#include "core/analysis/landscape/value_bins.h"

namespace kernelscape {

/** What a cell may say. */
enum class HeatCellState : std::uint8_t {
  Unmeasured,  ///< no row
  AllInvalid,
  Few,  ///< fewer than five valid rows: no statement on a mean
  Enough
};

struct HeatCell {
  std::int64_t count = 0;
  std::int64_t valid = 0;
  std::int64_t best_row = -1;  ///< of equally good ones the first; -1: no valid one
  double best = 0;             ///< 0 without a valid one
  double mean = 0;             ///< of the valid ones; 0 without one

  HeatCellState state() const;  ///< by its counts: five valid rows are Enough
  /** Of the cell's rows, 0 to 1; 0 without any. */
  double share_valid() const {
    return count == 0 ? 0 : static_cast<double>(valid) / static_cast<double>(count);
  }
};

/** The rows of a table by two columns. */
struct HeatMap {
  static constexpr std::size_t most_values = 64;  ///< per axis; beyond, ranges of about equally many rows

  ValueBins x;
  ValueBins y;
  std::vector<HeatCell> cells;     ///< y.count() lines of x.count(), both ascending
  std::int64_t without_value = 0;  ///< rows that lack one of the two values

  /** The cell of a bin of `x` and one of `y`. */
  const HeatCell& at(std::size_t x_bin, std::size_t y_bin) const { return cells[y_bin * x.count() + x_bin]; }
};

/**
 * @param x_values, y_values of the columns, by row of the table
 * @param rows ascending
 */
HeatMap heat_map(std::span<const double> x_values, std::span<const double> y_values,
                 const PerformanceColumn& performance, std::span<const std::int64_t> rows);

}  // namespace kernelscape
