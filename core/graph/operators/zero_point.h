#pragma once

#include "core/graph/operators/operator.h"

namespace kernelscape::graph {

/**
 * Returns an input minus its zero point, another input that may be absent: one number, one for each index of
 * an axis, or a tensor that is broadcast.
 */
Result<Tensor> without_zero_point(const Call& call, std::size_t input, std::size_t zero_point,
                                  std::int64_t axis);

/**
 * Returns a tensor's strides in a shape for parameters of quantisation: one number, one for each index of an
 * axis (which may count from the end), or a tensor that is broadcast to the shape.
 */
Result<Integers> parameter_strides(const Call& call, const Tensor& parameters, const Shape& shape,
                                   std::int64_t axis);

}  // namespace kernelscape::graph
