#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/codegen/kernel_source.h"
#include "core/task/reference.h"
#include "core/task/tensor_operator.h"

namespace kernelscape::measure {

/** The result of checking an output. */
struct OutputCheck {
  std::string problem;     ///< empty: correct; else count, worst position, expected and actual value
  double worst_error = 0;  ///< finite, also for NaN
};

/**
 * Compares a packed output with the reference; elements that still hold the fill pattern are reported as
 * unwritten.
 * @param surroundings_intact false: the kernel wrote beyond its output, which is an error too
 * @param winograd_tile as in task::tolerance_of()
 */
OutputCheck check_output(const task::TensorOperator& op, const task::Reference& reference,
                         std::span<const std::byte> output, std::span<const std::int64_t> offsets,
                         bool surroundings_intact, int winograd_tile = 0);

/** Checks an output that is already row-major doubles, as check_output() does. */
OutputCheck check_values(const task::TensorOperator& op, const task::Reference& reference,
                         std::span<const double> values);
/** Checks as above, with another tolerance than that of the operator's rounding errors. */
OutputCheck check_values(const task::TensorOperator& op, const task::Reference& reference,
                         std::span<const double> values, const task::Tolerance& tolerance);

/**
 * Returns the tolerance for a convolution that a library computes by Winograd's algorithm. The error of an
 * element then comes from the sums over its whole tile, not only from its own products, so that it is bounded
 * relative to the largest magnitude of the output. The factor over a direct convolution's tolerance is 32:
 * with independent rounding errors, the transforms of F(4x4, 3x3) with the points 0, 1, -1, 2, -2 amplify
 * them by the root of the sum of the squares of their products, 5.6 in each dimension. Larger tiles and worse
 * points exceed it. Source of the model: Barabasz, Anderson, Soodhalter, Gregg, "Error Analysis and Improving
 * the Accuracy of Winograd Convolution for Deep Neural Networks", section 4, ACM TOMS 46(4), 2020.
 */
task::Tolerance library_winograd_tolerance(const task::TensorOperator& op, const task::Reference& reference);

}  // namespace kernelscape::measure
