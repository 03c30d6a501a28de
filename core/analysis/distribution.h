#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/landscape/performance_column.h"

namespace kernelscape::analysis {

/** Counts of the valid rows between ascending edges. */
struct Histogram {
  /** One more than counts; the last bin includes its upper edge; empty: no valid row. */
  std::vector<double> edges;
  std::vector<std::int64_t> counts;
  std::int64_t valid = 0;
  std::int64_t invalid = 0;  ///< rows without performance, which are in no bin
};

/**
 * Returns the histogram from the minimum to the maximum performance of the valid rows. If these are equal, it
 * has one bin around them.
 * @param bins at least 1, of equal width, or of equal ratio if `logarithmic`
 */
Histogram histogram(const PerformanceColumn& performance, std::span<const std::int64_t> rows,
                    std::size_t bins, bool logarithmic);

/** The number of rows that are at most `below_best` worse than the best. */
struct TopPoint {
  double below_best = 0;   ///< 0: the best; 0.05: 95 % of its speed
  std::int64_t count = 0;  ///< valid rows that are at least as good
  double share = 0;        ///< count over all rows, including failed ones

  bool operator==(const TopPoint&) const = default;
};

/**
 * Returns the cumulative distribution from the top: one point per distinct performance, from the best to the
 * worst. Between two points the share is that of the point before. For seconds, the speed is the inverse.
 */
std::vector<TopPoint> distribution_from_top(const PerformanceColumn& performance,
                                            std::span<const std::int64_t> rows);

/**
 * Returns at most `most` (2 or more) of the points: the first and the last of equal intervals of
 * `below_best`, so that both ends remain and a chart of that many pixels looks the same.
 */
std::vector<TopPoint> reduced(std::span<const TopPoint> points, std::size_t most);

}  // namespace kernelscape::analysis
