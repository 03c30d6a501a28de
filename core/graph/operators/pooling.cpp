#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/graph/operators/indexing.h"
#include "core/graph/operators/operator.h"
#include "core/graph/operators/window.h"

namespace kernelscape::graph {

namespace {

/**
 * Calls visit(offset in the plane) for each place of a window at a position; -1 stands for the padding.
 * Places beyond the padding, which the last window has if ceil_mode rounds up, are no places.
 */
template <typename Visit>
void visit_window(const Window& window, const Shape& spatial, const Integers& position, const Visit& visit) {
  Integers place(spatial.size(), 0);
  do {
    std::int64_t offset = 0;
    bool beyond = false;
    for (std::size_t axis = 0; axis < spatial.size(); ++axis) {
      const std::int64_t coordinate = position[axis] * window.strides[axis] - window.padding_before[axis] +
                                      place[axis] * window.dilations[axis];
      beyond = beyond || coordinate >= spatial[axis] + window.padding_after[axis];
      offset = coordinate < 0 || coordinate >= spatial[axis] || offset < 0
                   ? -1
                   : offset * spatial[axis] + coordinate;
    }
    if (!beyond) visit(offset);
  } while (advance(place, window.kernel));
}

// Windows that cover more elements in all are not those of a network: they would be computed for hours.
constexpr double max_covered_elements = 1e12;

/** Refuses an input without spatial dimensions, and windows that would take too long. */
Result<Window> pooling_window(const Call& call) {
  const Shape& shape = call[0].shape;
  if (shape.size() < 3)
    return call.refuse(fmt::format("it cannot pool a tensor of shape {}", shape_text(shape)));
  if (!call.has_attribute("kernel_shape")) return call.refuse("its attribute kernel_shape is missing");
  Window window = TRY(window_of(call, spatial_extents(shape), call.integers("kernel_shape")));
  double covered = static_cast<double>(shape[0]) * static_cast<double>(shape[1]);
  for (std::size_t axis = 0; axis < window.kernel.size(); ++axis)
    covered *= static_cast<double>(window.kernel[axis]) * static_cast<double>(window.positions[axis]);
  if (covered > max_covered_elements)
    return call.refuse(fmt::format("a kernel of {} is too large", shape_text(window.kernel)));
  return window;
}

/** Calls pool(offset of the channel, position) for each position of each channel. */
template <typename Pool>
Result<Tensor> pooled(const Call& call, const Window& window, const Pool& pool) {
  const Tensor& input = call[0];
  Shape shape = {input.shape[0], input.shape[1]};
  shape.insert(shape.end(), window.positions.begin(), window.positions.end());
  Tensor result = TRY(new_tensor(call, input.type, shape));
  if (result.elements.empty()) return result;
  const std::int64_t plane_elements = extent_product(input.shape, 2, input.shape.size());
  auto element = result.elements.begin();
  for (std::int64_t plane = 0; plane < input.shape[0] * input.shape[1]; ++plane) {
    Integers position(window.positions.size(), 0);
    do {
      *element++ = pool(plane * plane_elements, position);
    } while (advance(position, window.positions));
  }
  return result;
}

/** Returns the number of an element in a plane whose first dimension is contiguous. */
std::int64_t column_major(std::int64_t offset, const Shape& spatial) {
  std::int64_t number = 0;
  std::int64_t stride = element_count(spatial);
  for (std::size_t axis = spatial.size(); axis-- > 0;) {
    stride /= spatial[axis];
    number += offset % spatial[axis] * stride;
    offset /= spatial[axis];
  }
  return number;
}

Result<Tensors> max_pool(const Call& call) {
  const Tensor& input = call[0];
  const Window window = TRY(pooling_window(call));
  const Shape spatial = spatial_extents(input.shape);
  const bool by_columns = call.integer("storage_order", 0) != 0;
  std::vector<double> indices;
  Tensor result = TRY(pooled(call, window, [&](std::int64_t plane, const Integers& position) {
    double largest = -std::numeric_limits<double>::infinity();
    std::int64_t index = -1;
    visit_window(window, spatial, position, [&](std::int64_t offset) {
      if (offset < 0) return;
      const double value = at(input, plane + offset);
      if (index >= 0 && !(value > largest) && !std::isnan(value)) return;
      largest = value;
      index = offset;
    });
    if (call.wants(1)) {
      indices.push_back(
          static_cast<double>(index < 0 ? -1 : plane + (by_columns ? column_major(index, spatial) : index)));
    }
    return largest;
  }));
  Tensors results = one_result(std::move(result));
  if (call.wants(1)) results.push_back({ElementType::I64, results[0].shape, std::move(indices)});
  return results;
}

Result<Tensors> average_pool(const Call& call) {
  const Tensor& input = call[0];
  const Window window = TRY(pooling_window(call));
  const Shape spatial = spatial_extents(input.shape);
  const bool counts_padding = call.integer("count_include_pad", 0) != 0;
  return one_result(TRY(pooled(call, window, [&](std::int64_t plane, const Integers& position) -> double {
    double sum = 0;
    double count = 0;
    visit_window(window, spatial, position, [&](std::int64_t offset) {
      if (offset >= 0) sum += at(input, plane + offset);
      if (offset >= 0 || counts_padding) ++count;
    });
    return count > 0 ? sum / count : 0;
  })));
}

Result<Tensors> norm_pool(const Call& call) {
  const Tensor& input = call[0];
  const Window window = TRY(pooling_window(call));
  const Shape spatial = spatial_extents(input.shape);
  const auto power = static_cast<double>(call.integer("p", 2));
  return one_result(TRY(pooled(call, window, [&](std::int64_t plane, const Integers& position) -> double {
    double sum = 0;
    visit_window(window, spatial, position, [&](std::int64_t offset) {
      if (offset >= 0) sum += std::pow(std::abs(at(input, plane + offset)), power);
    });
    return std::pow(sum, 1 / power);
  })));
}

/** Reduces each channel to one element: fold(accumulator, element) from `start`, then finish(it, count). */
template <typename Fold, typename Finish>
Result<Tensors> global_pool(const Call& call, double start, const Fold& fold, const Finish& finish) {
  const Tensor& input = call[0];
  if (input.shape.size() < 3)
    return call.refuse(fmt::format("it cannot pool a tensor of shape {}", shape_text(input.shape)));
  Shape shape(input.shape.size(), 1);
  shape[0] = input.shape[0];
  shape[1] = input.shape[1];
  const std::int64_t count = extent_product(input.shape, 2, input.shape.size());
  Tensor result = TRY(new_tensor(call, input.type, shape));
  const double* element = input.elements.data();
  for (double& pooled_element : result.elements) {
    double accumulator = start;
    for (std::int64_t i = 0; i < count; ++i) accumulator = fold(accumulator, *element++);
    pooled_element = finish(accumulator, static_cast<double>(count));
  }
  return one_result(std::move(result));
}

Result<Tensors> global_average_pool(const Call& call) {
  return global_pool(
      call, 0, [](double sum, double x) { return sum + x; },
      [](double sum, double count) { return sum / count; });
}

Result<Tensors> global_max_pool(const Call& call) {
  return global_pool(call, -std::numeric_limits<double>::infinity(), larger,
                     [](double largest, double) { return largest; });
}

Result<Tensors> global_norm_pool(const Call& call) {
  const auto power = static_cast<double>(call.integer("p", 2));
  return global_pool(
      call, 0, [=](double sum, double x) { return sum + std::pow(std::abs(x), power); },
      [=](double sum, double) { return std::pow(sum, 1 / power); });
}

}  // namespace

std::vector<Operator> pooling_operators() {
  return {
      {"AveragePool", 1, 1, average_pool},
      {"GlobalAveragePool", 1, 1, global_average_pool},
      {"GlobalLpPool", 1, 1, global_norm_pool},
      {"GlobalMaxPool", 1, 1, global_max_pool},
      {"LpPool", 1, 1, norm_pool},
      {"MaxPool", 1, 1, max_pool},
  };
}

}  // namespace kernelscape::graph
