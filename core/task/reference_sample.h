#pragma once

#include <cstdint>
#include <vector>

#include "core/task/tensor_operator.h"

namespace kernelscape::task {

/** An output element, as a number over the spatial axes (row-major) and as a position in the output. */
struct SamplePoint {
  std::int64_t unit = 0;
  std::int64_t position = 0;
};

/**
 * Returns at least min_sample_positions distinct points in ascending position: every corner, points on the
 * first and on the last elements of every axis (padding, remainders of tiles), and uniformly drawn points.
 * The output must have at least twice as many elements.
 */
std::vector<SamplePoint> sample_points(const TensorOperator& op, std::uint64_t seed);

}  // namespace kernelscape::task
