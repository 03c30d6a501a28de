#include "core/graph/operators/zero_point.h"

#include <fmt/format.h>

#include "core/graph/operators/indexing.h"

namespace kernelscape::graph {

Result<Integers> parameter_strides(const Call& call, const Tensor& parameters, const Shape& shape,
                                   std::int64_t axis) {
  Integers strides(shape.size(), 0);
  if (parameters.elements.size() == 1) return strides;
  if (parameters.shape.size() == 1) {
    const std::size_t place = TRY(axis_of(call, axis, shape.size()));
    if (parameters.shape[0] == shape[place]) {
      strides[place] = 1;
      return strides;
    }
  } else if (broadcast_shape(parameters.shape, shape) == shape) {
    return broadcast_strides(parameters.shape, shape);
  }
  return call.refuse(fmt::format("scales or zero points of shape {} do not fit a tensor of shape {}",
                                 shape_text(parameters.shape), shape_text(shape)));
}

Result<Tensor> without_zero_point(const Call& call, std::size_t input, std::size_t zero_point,
                                  std::int64_t axis) {
  Tensor result = call[input];
  if (!call.has(zero_point)) return result;
  const Tensor& zeros = call[zero_point];
  const Integers strides = TRY(parameter_strides(call, zeros, result.shape, axis));
  auto element = result.elements.begin();
  for_each_offset<1>(result.shape, {strides},
                     [&](const auto& offsets) { *element++ -= at(zeros, offsets[0]); });
  return result;
}

}  // namespace kernelscape::graph
