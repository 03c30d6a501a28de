#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/analysis/landscape/performance_column.h"
#include "core/analysis/landscape/value_bins.h"

namespace kernelscape::analysis {

/** A column of the table as an axis. */
struct ParallelColumn {
  std::span<const double> values;  ///< by row of the table
  bool logarithmic = false;        ///< ranges of equal ratio if there are too many values
};

/** The places where the lines of the rows cross an axis. */
struct ParallelAxis {
  static constexpr std::size_t max_bins = 64;  ///< with more values: ranges of equal width

  ValueBins bins;
  std::vector<std::int64_t> counts;       ///< by place
  std::vector<std::int64_t> highlighted;  ///< by place

  /** Returns the number of places on the axis: its bins, and one more for rows without a value. */
  std::size_t places() const { return bins.count() + 1; }
  /** Returns the last place, for rows without a value on this axis. */
  std::size_t missing() const { return bins.count(); }
};

/** The band of lines between two neighbouring axes that share both places. */
struct ParallelBand {
  std::int64_t count = 0;
  std::int64_t highlighted = 0;
  double best = 0;              ///< best performance of the valid lines; 0 if none is valid
  double best_highlighted = 0;  ///< best performance of the valid highlighted lines; 0 if none is valid
};

/** The line of one row through all axes. */
struct ParallelLine {
  std::vector<std::size_t> places;  ///< by axis
  double performance = 0;           ///< 0 if the row is not valid
};

/**
 * Counts instead of lines if there are many rows: the cost of drawing depends on the number of bands, not of
 * rows.
 */
struct ParallelCoordinates {
  static constexpr std::size_t max_lines = 2000;

  std::vector<ParallelAxis> axes;
  /** Per pair of neighbours, places of the left axis times those of the right. */
  std::vector<std::vector<ParallelBand>> bands;
  /**
   * The lines of the highlighted rows, or of all rows if none is highlighted; empty if these are more than
   * max_lines.
   */
  std::vector<ParallelLine> lines;

  /** Returns the band between left_axis and the next one; places as in ParallelAxis. */
  const ParallelBand& at(std::size_t left_axis, std::size_t left_place, std::size_t right_place) const {
    return bands[left_axis][left_place * axes[left_axis + 1].places() + right_place];
  }
};

/**
 * Counts the bands in one pass over the rows once the axes are known.
 * @param rows ascending
 * @param highlighted the rows of the selection, ascending; those not in `rows` are ignored
 */
ParallelCoordinates parallel_coordinates(std::span<const ParallelColumn> columns,
                                         const PerformanceColumn& performance,
                                         std::span<const std::int64_t> rows,
                                         std::span<const std::int64_t> highlighted);

}  // namespace kernelscape::analysis
