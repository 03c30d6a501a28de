#include "core/graph/operators/indexing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kernelscape::graph {

Integers strides_of(const Shape& shape) {
  Integers strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

std::int64_t extent_product(const Shape& shape, std::size_t first, std::size_t last) {
  std::int64_t product = 1;
  for (std::size_t axis = first; axis < last; ++axis) product *= shape[axis];
  return product;
}

Result<std::size_t> axis_of(const Call& call, std::int64_t axis, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  if (axis < -count || axis >= count)
    return call.refuse(fmt::format("axis {} does not exist in {} dimensions", axis, rank));
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

Result<std::vector<std::size_t>> axes_of(const Call& call, const Integers& axes, std::size_t rank) {
  std::vector<std::size_t> found;
  for (const std::int64_t axis : axes) found.push_back(TRY(axis_of(call, axis, rank)));
  std::ranges::sort(found);
  if (std::ranges::adjacent_find(found) != found.end()) return call.refuse("an axis is named twice");
  return found;
}

std::optional<Shape> broadcast_shape(const Shape& first, const Shape& second) {
  const Shape& longer = first.size() >= second.size() ? first : second;
  const Shape& shorter = first.size() >= second.size() ? second : first;
  Shape shape = longer;
  const std::size_t shift = longer.size() - shorter.size();
  for (std::size_t axis = 0; axis < shorter.size(); ++axis) {
    std::int64_t& extent = shape[shift + axis];
    if (extent == 1) {
      extent = shorter[axis];
    } else if (shorter[axis] != 1 && shorter[axis] != extent) {
      return std::nullopt;
    }
  }
  return shape;
}

Integers broadcast_strides(const Shape& shape, const Shape& larger) {
  const Integers own = strides_of(shape);
  Integers strides(larger.size(), 0);
  const std::size_t shift = larger.size() - shape.size();
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != 1) strides[shift + axis] = own[axis];
  return strides;
}

std::int64_t to_integer(double value) {
  constexpr double limit = 9223372036854775808.0;
  if (std::isnan(value)) return 0;
  if (value >= limit) return std::numeric_limits<std::int64_t>::max();
  if (value < -limit) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

Integers integers_of(const Tensor& tensor) {
  Integers integers;
  integers.reserve(tensor.elements.size());
  for (const double element : tensor.elements) integers.push_back(to_integer(element));
  return integers;
}

}  // namespace kernelscape::graph
