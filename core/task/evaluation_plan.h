#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/task/tensor_operator.h"

namespace kernelscape::task {

/**
 * The plan for evaluating an operator in units. Each unit is a sum of products over one inner axis without
 * bounds checks. If the inner axis is spatial, a unit is a row of outputs along it; if it is a reduction (or
 * missing), a unit is one output. The loops update a vector of quantities that are affine in the axes: the
 * offset of either input over its dimensions that can never be out of bounds, the position in the output, and
 * the numerator of each dimension that must be checked.
 */
struct EvaluationPlan {
  /** A dimension of an input that may be out of bounds because of padding or a divisor. */
  struct CheckedDimension {
    std::size_t input = 0;
    std::int64_t divisor = 1;
    std::int64_t extent = 1;
    std::int64_t stride = 1;  ///< in elements
  };

  static constexpr std::size_t output_quantity = 2;  ///< 0 and 1 are the inputs' offsets
  static constexpr std::size_t first_checked_quantity = 3;

  std::vector<std::int64_t> origin;              ///< quantities with every axis at 0
  std::vector<std::vector<std::int64_t>> steps;  ///< per axis: the increment of each quantity for one step
                                                 ///< along the axis
  std::vector<std::int64_t> extents;             ///< per axis
  std::vector<CheckedDimension> checked;
  std::vector<std::size_t> unit_axes;  ///< constant in a unit; the last axis varies fastest with the unit's
                                       ///< number
  std::vector<std::size_t> loop_axes;  ///< reductions outside the inner axis
  std::optional<std::size_t> inner_axis;
  bool inner_is_spatial = false;

  std::int64_t unit_count() const;  ///< number of units, which evaluate() numbers from 0
  /** Returns the number of iterations of the inner axis, or 1 if there is none. */
  std::int64_t inner_extent() const { return inner_axis ? extents[*inner_axis] : 1; }
};

/**
 * Returns the plan for an operator. @param single_outputs units are single outputs, numbered row-major over
 * the spatial axes
 */
EvaluationPlan plan_evaluation(const TensorOperator& op, bool single_outputs);

}  // namespace kernelscape::task
