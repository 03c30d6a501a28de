#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/analysis/landscape/performance_column.h"
#include "core/analysis/landscape/value_bins.h"

namespace kernelscape {

/** A column as an axis. */
struct ParallelColumn {
  std::span<const double> values;  ///< by row of the table
  bool logarithmic = false;        ///< ranges of equal ratio where the values are too many
};

/** Where the lines of the rows cross an axis. */
struct ParallelAxis {
  static constexpr std::size_t most_bins = 64;  ///< beyond as many values: ranges of equal width

  ValueBins bins;
  std::vector<std::int64_t> counts;       ///< by place
  std::vector<std::int64_t> highlighted;  ///< by place

  /** Places on the axis: its bins, and one more for rows without a value. */
  std::size_t places() const { return bins.count() + 1; }
  /** The last place: rows without a value on this axis. */
  std::size_t missing() const { return bins.count(); }
};

/** The lines between two neighbouring axes that share both places. */
struct ParallelStrand {
  std::int64_t count = 0;
  std::int64_t highlighted = 0;
  double best = 0;  ///< of the valid ones; 0: none is
};

/** Counts instead of lines: drawing costs the strands, not the rows. */
struct ParallelCoordinates {
  std::vector<ParallelAxis> axes;
  std::vector<std::vector<ParallelStrand>>
      strands;  ///< per pair of neighbours, places of the left by those of the right

  /** Between left_axis and the next one; places as of ParallelAxis. */
  const ParallelStrand& at(std::size_t left_axis, std::size_t left_place, std::size_t right_place) const {
    return strands[left_axis][left_place * axes[left_axis + 1].places() + right_place];
  }
};

/**
 * One pass over the rows once the axes are known.
 * @param rows ascending
 * @param highlighted ascending: the rows of the selection; those not in `rows` do not count
 */
ParallelCoordinates parallel_coordinates(std::span<const ParallelColumn> columns,
                                         const PerformanceColumn& performance,
                                         std::span<const std::int64_t> rows,
                                         std::span<const std::int64_t> highlighted);

}  // namespace kernelscape
