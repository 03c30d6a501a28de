#pragma once

#include <vector>

#include "core/task/tensor_operator.h"

namespace kernelscape::schedule {

/** The role of an axis, by the tensors that it indexes: a matrix multiplication's m, n and k, and batches. */
enum class AxisRole : std::uint8_t {
  Batch,   ///< both inputs and the output
  Row,     ///< the first input and the output
  Column,  ///< the second input and the output
  Depth,   ///< both inputs, summed over
  None     ///< anything else
};

/** Returns the role of each axis, by its number. */
std::vector<AxisRole> axis_roles(const task::TensorOperator& op);

/** Returns true if the axis occurs in an index of the tensor. */
bool moves(const task::TensorAccess& tensor, int axis);

/**
 * Returns the dimension of a tensor that an axis indexes alone, element by element, so that it can be stored
 * in blocks and padded; -1 if the axis indexes no dimension, or one together with other axes (the rows of an
 * image and those of its kernel).
 */
int own_dimension(const task::TensorAccess& tensor, int axis);

}  // namespace kernelscape::schedule
