#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/graph/operators/operator.h"

namespace kernelscape::graph {

/** Returns the distances between neighbours along each axis of a row-major tensor. */
Integers strides_of(const Shape& shape);

/** Returns the product of the extents of axes first, ..., last - 1. */
std::int64_t extent_product(const Shape& shape, std::size_t first, std::size_t last);

/** Returns an axis that may count from the end as an axis from the start. Refuses one out of range. */
Result<std::size_t> axis_of(const Call& call, std::int64_t axis, std::size_t rank);

/** Returns axes as axis_of(), sorted. Refuses an axis that is named twice. */
Result<std::vector<std::size_t>> axes_of(const Call& call, const Integers& axes, std::size_t rank);

/** Returns the shape to which two shapes are broadcast; nullopt if they do not fit. */
std::optional<Shape> broadcast_shape(const Shape& first, const Shape& second);

/** Returns the strides with which a tensor is read as if it had a larger shape; 0 where it is repeated. */
Integers broadcast_strides(const Shape& shape, const Shape& larger);

/** Returns the larger of two numbers; NaN if one of them is. */
inline double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }
/** Returns the smaller of two numbers; NaN if one of them is. */
inline double smaller(double a, double b) { return std::isnan(a) || a < b ? a : b; }

/** Returns a double as an integer; one beyond the range of 64 bits becomes the nearest end. */
std::int64_t to_integer(double value);

/** Returns the elements of a tensor as integers. */
Integers integers_of(const Tensor& tensor);

/** Visits the elements of a shape in row-major order with their offsets in N tensors of given strides. */
template <std::size_t N, typename Visit>
void for_each_offset(const Shape& shape, const std::array<Integers, N>& strides, const Visit& visit) {
  Integers index(shape.size(), 0);
  std::array<std::int64_t, N> offsets{};
  for (std::int64_t left = element_count(shape); left > 0; --left) {
    visit(offsets);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      for (std::size_t i = 0; i < N; ++i) offsets[i] += strides[i][axis];
      if (++index[axis] < shape[axis]) break;
      for (std::size_t i = 0; i < N; ++i) offsets[i] -= strides[i][axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

/** Advances an index to the next element of a shape in row-major order. @return false after the last one */
inline bool advance(Integers& index, const Shape& shape) {
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (++index[axis] < shape[axis]) return true;
    index[axis] = 0;
  }
  return false;
}

/** Returns the element of a tensor at an offset. */
inline double at(const Tensor& tensor, std::int64_t offset) {
  return tensor.elements[static_cast<std::size_t>(offset)];
}
inline double& at(Tensor& tensor, std::int64_t offset) {
  return tensor.elements[static_cast<std::size_t>(offset)];
}

}  // namespace kernelscape::graph
