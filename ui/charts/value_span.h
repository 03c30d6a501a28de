#pragma once

#include <cstdint>

#include "ui/charts/axis.h"
#include "ui/charts/landscape/value_sketch.h"

namespace kernelscape {

/** From where to where values of either sign lie, with and without stray ones, in constant memory. */
class ValueSpan {
 public:
  /** What is not finite is left out. */
  void add(double value);
  bool empty() const { return count_ == 0; }  ///< no finite value came yet
  /** From the least to the greatest; [0, 0] for none. */
  Interval all() const { return all_; }
  /** The same, unless few values lie far from nearly all others: then nearly all, with some room. */
  Interval robust() const;

 private:
  double quantile(double share) const;

  ValueSketch positive_;
  ValueSketch negative_;  ///< without their sign
  std::uint64_t count_ = 0;
  Interval all_{0, 0};
};

}  // namespace kernelscape
