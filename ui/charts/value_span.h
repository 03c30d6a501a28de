#pragma once

#include <cstdint>

#include "ui/charts/axis.h"
#include "ui/charts/landscape/value_sketch.h"

namespace kernelscape::charts {

/** Tracks the range of values of either sign, with and without outliers, in constant memory. */
class ValueSpan {
 public:
  /** Adds a value; values that are not finite are ignored. */
  void add(double value);
  bool empty() const { return count_ == 0; }  ///< Returns true if no finite value was added
  /** Returns the range from the minimum to the maximum; [0, 0] if there are no values. */
  Interval all() const { return all_; }
  /**
   * Returns the range without outliers: if few values lie far from nearly all others, the range of nearly all
   * with a margin, otherwise the whole range.
   */
  Interval robust() const;

 private:
  double quantile(double share) const;

  ValueSketch positive_;
  ValueSketch negative_;  ///< absolute values of the negative ones
  std::uint64_t count_ = 0;
  Interval all_{0, 0};
};

}  // namespace kernelscape::charts
