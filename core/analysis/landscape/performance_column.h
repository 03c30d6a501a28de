#pragma once

#include <cmath>
#include <cstdint>
#include <span>

namespace kernelscape::analysis {

/** The performance of each row of a table; NaN for a failed trial. */
struct PerformanceColumn {
  std::span<const double> values;  ///< by row: positive (GFLOP/s or seconds) if valid
  bool higher_is_better = true;    ///< false: seconds

  /** Returns the performance of a row in the column's unit, or NaN for a failed trial. */
  double at(std::int64_t row) const { return values[static_cast<std::size_t>(row)]; }
  /** Returns true if the row has a finite, positive performance. */
  bool valid(std::int64_t row) const { return std::isfinite(at(row)) && at(row) > 0; }
  /** Returns true if `a` is strictly better; false if either is NaN. */
  bool better(double a, double b) const { return higher_is_better ? a > b : a < b; }
};

}  // namespace kernelscape::analysis
