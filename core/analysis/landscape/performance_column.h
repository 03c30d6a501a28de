#pragma once

#include <cmath>
#include <cstdint>
#include <span>

namespace kernelscape {

/** How good each row of a table is; a failed trial is NaN. */
struct PerformanceColumn {
  std::span<const double> values;  ///< by row: positive (GFLOP/s or seconds) where valid
  bool higher_is_better = true;    ///< false: seconds

  /** In the column's unit; NaN for a failed trial. */
  double at(std::int64_t row) const { return values[static_cast<std::size_t>(row)]; }
  /** The row has a finite, positive performance. */
  bool valid(std::int64_t row) const { return std::isfinite(at(row)) && at(row) > 0; }
  /** Whether `a` is strictly better; false where either is NaN. */
  bool better(double a, double b) const { return higher_is_better ? a > b : a < b; }
};

}  // namespace kernelscape
