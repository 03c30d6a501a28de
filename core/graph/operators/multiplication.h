#pragma once

#include "core/graph/operators/operator.h"

namespace kernelscape::graph {

/** Returns the product of two stacks of matrices, as numpy's matmul: broadcast, with vectors as matrices. */
Result<Tensor> multiply_matrices(const Call& call, const Tensor& left, const Tensor& right, ElementType type);

/** Computes Einsum of any number of operands, two at a time. */
Result<Tensors> einsum(const Call& call);

}  // namespace kernelscape::graph
