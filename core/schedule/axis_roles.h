#pragma once

#include <vector>

#include "core/task/tensor_operator.h"

namespace kernelscape {

/** What an axis is for, by the tensors that it moves: a matrix multiplication's m, n and k, and batches. */
enum class AxisRole : std::uint8_t {
  Batch,   ///< both inputs and the output
  Row,     ///< the first input and the output
  Column,  ///< the second input and the output
  Depth,   ///< both inputs, summed over
  None     ///< anything else
};

/** By axis. */
std::vector<AxisRole> axis_roles(const TensorOperator& op);

/** Whether an axis moves a tensor. */
bool moves(const TensorAccess& tensor, int axis);

/**
 * The dimension of a tensor that an axis indexes alone, element by element, so that it can be stored in
 * blocks and padded; -1 where it moves none, or moves one together with others (the rows of an image and
 * those of its kernel).
 */
int own_dimension(const TensorAccess& tensor, int axis);

}  // namespace kernelscape
