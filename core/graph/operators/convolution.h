#pragma once

#include "core/graph/operators/operator.h"

namespace kernelscape::graph {

/**
 * Returns the convolution of an input (N x C x spatial) with weights (M x C / group x kernel), with the
 * node's attributes. @param bias M numbers, or nullptr
 */
Result<Tensor> convolve(const Call& call, const Tensor& input, const Tensor& weights, const Tensor* bias,
                        ElementType type);

}  // namespace kernelscape::graph
