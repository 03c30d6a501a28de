#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/task/tensor_operator.h"

namespace kernelscape {

/**
 * How an operator is evaluated: in units, each a product of sums that one inner axis runs through without
 * bounds checks. Where the inner axis is spatial a unit is a row of outputs along it; where it is a reduction
 * (or there is none) a unit is one output.
 *
 * All that moves is a vector of quantities, affine in the axes: the offset of either input over its
 * dimensions that can never lie outside, the position in the output, and the numerator of each dimension that
 * must be checked.
 */
struct EvaluationPlan {
  /** A dimension of an input that padding or a divisor makes unsafe. */
  struct CheckedDimension {
    std::size_t input = 0;
    std::int64_t divisor = 1;
    std::int64_t extent = 1;
    std::int64_t stride = 1;  ///< in elements
  };

  static constexpr std::size_t output_quantity = 2;  ///< 0 and 1 are the inputs' offsets
  static constexpr std::size_t first_checked_quantity = 3;

  std::vector<std::int64_t> origin;              ///< quantities with every axis at 0
  std::vector<std::vector<std::int64_t>> steps;  ///< per axis: what one step of it adds to each quantity
  std::vector<std::int64_t> extents;             ///< per axis
  std::vector<CheckedDimension> checked;
  std::vector<std::size_t> unit_axes;  ///< fixed in a unit; the last is the fastest in the unit's number
  std::vector<std::size_t> loop_axes;  ///< reductions outside the inner axis
  std::optional<std::size_t> inner_axis;
  bool inner_is_spatial = false;

  std::int64_t unit_count() const;  ///< how many evaluate() numbers, from 0
  /** Iterations of the inner axis; 1 where there is none. */
  std::int64_t inner_extent() const { return inner_axis ? extents[*inner_axis] : 1; }
};

/** @param single_outputs units are single outputs, numbered row-major over the spatial axes */
EvaluationPlan plan_evaluation(const TensorOperator& op, bool single_outputs);

/** One thread's evaluation. */
class Evaluator {
 public:
  Evaluator(const EvaluationPlan& plan, std::span<const double> first, std::span<const double> second);

  /** Sums and magnitudes of a unit: inner_extent() of them where the inner axis is spatial, else one. */
  void evaluate(std::int64_t unit);

  std::span<const double> sums() const { return sums_; }  ///< of the last unit evaluated: one per output
  /** The same sums over absolute values: rounding errors are measured against them. */
  std::span<const double> magnitudes() const { return magnitudes_; }
  /** Position of the unit's first output, and the distance to each next. */
  std::int64_t output_position() const { return output_position_; }
  std::int64_t output_step() const;  ///< in elements of the output; 0 where a unit is one output

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

}  // namespace kernelscape
