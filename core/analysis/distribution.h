#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/landscape/performance_column.h"

namespace kernelscape {

/** Counts of the valid rows between ascending edges. */
struct Histogram {
  std::vector<double> edges;  ///< one more than counts; the last bin holds its upper edge; empty: none valid
  std::vector<std::int64_t> counts;
  std::int64_t valid = 0;
  std::int64_t invalid = 0;  ///< rows without performance: in no bin
};

/**
 * From the least to the greatest performance of the valid rows. Where these are equal: one bin around them.
 * @param bins at least 1, of equal width, or of equal ratio where `logarithmic`
 */
Histogram histogram(const PerformanceColumn& performance, std::span<const std::int64_t> rows,
                    std::size_t bins, bool logarithmic);

/** So many rows are at most `below_best` worse than the best. */
struct TopPoint {
  double below_best = 0;   ///< 0: the best; 0.05: 95 % of its speed
  std::int64_t count = 0;  ///< valid rows at least so good
  double share = 0;        ///< count over all rows, failed ones included

  bool operator==(const TopPoint&) const = default;
};

/**
 * The cumulative distribution read from the top: one point per distinct performance, from the best to the
 * worst; in between the share is that of the point before. Of seconds the speed is the inverse.
 */
std::vector<TopPoint> distribution_from_top(const PerformanceColumn& performance,
                                            std::span<const std::int64_t> rows);

/**
 * At most `most` (2 or more) of the points: the first and the last of equal intervals of `below_best`, so
 * that a chart of as many pixels looks the same and both ends stay.
 */
std::vector<TopPoint> reduced(std::span<const TopPoint> points, std::size_t most);

}  // namespace kernelscape
