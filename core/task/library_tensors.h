#pragma once

#include <cstdint>
#include <vector>

#include "core/task/task.h"

namespace kernelscape {

/** A logical shape with the strides, in elements, of the row-major tensor that users have. */
struct StridedTensor {
  std::vector<std::int64_t> dimensions;
  std::vector<std::int64_t> strides;
};

/**
 * A task's tensors as libraries of primitives such as oneDNN number their dimensions: weights of a
 * convolution are [groups,] output channels, input channels, kernel; operands of a multiplication are not
 * transposed.
 */
struct LibraryTensors {
  StridedTensor data;
  StridedTensor weight;
  StridedTensor output;
};

/** Of a convolution or a multiplication. */
LibraryTensors library_tensors(const Task& task);

}  // namespace kernelscape
