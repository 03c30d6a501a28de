#pragma once

#include <cstdint>
#include <vector>

#include "core/task/task.h"

namespace kernelscape::task {

/** A logical shape with the strides, in elements, of the user's row-major tensor. */
struct StridedTensor {
  std::vector<std::int64_t> dimensions;
  std::vector<std::int64_t> strides;
};

/**
 * A task's tensors with the dimension order of primitive libraries such as oneDNN: weights of a convolution
 * are [groups,] output channels, input channels, kernel; operands of a multiplication are not transposed.
 */
struct LibraryTensors {
  StridedTensor data;
  StridedTensor weight;
  StridedTensor output;
};

/** Returns the tensors of a convolution or a multiplication. */
LibraryTensors library_tensors(const Task& task);

}  // namespace kernelscape::task
