#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/task/evaluation_plan.h"

namespace kernelscape::task {

/** The evaluation in one thread. */
class Evaluator {
 public:
  Evaluator(const EvaluationPlan& plan, std::span<const double> first, std::span<const double> second);

  /**
   * Computes the sums and magnitudes of a unit: inner_extent() values if the inner axis is spatial, else one.
   */
  void evaluate(std::int64_t unit);

  std::span<const double> sums() const { return sums_; }  ///< of the last unit evaluated: one per output
  /** Returns the same sums over absolute values, which rounding errors are compared with. */
  std::span<const double> magnitudes() const { return magnitudes_; }
  /** Returns the position of the unit's first output. */
  std::int64_t output_position() const { return output_position_; }
  std::int64_t output_step() const;  ///< distance between consecutive outputs, in elements; 0 if a unit is
                                     ///< one output

 private:
  void add(std::size_t axis, std::int64_t steps);
  void accumulate();

  const EvaluationPlan& plan_;
  std::span<const double> first_;
  std::span<const double> second_;
  std::vector<std::int64_t> quantities_;
  std::vector<std::int64_t> counters_;
  std::vector<std::int64_t> no_steps_;
  std::span<const std::int64_t> inner_steps_;
  std::vector<double> sums_;
  std::vector<double> magnitudes_;
  std::int64_t output_position_ = 0;
};

}  // namespace kernelscape::task
