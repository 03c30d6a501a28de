#include "core/schedule/resolved_record.h"

#include <algorithm>

namespace kernelscape {
namespace {

/**
 * Returns false for the outermost dimension of a source, which covers the rest: its index needs no remainder.
 */
bool wraps(const Layout& layout, const LayoutDimension& here) {
  return std::ranges::any_of(layout.dimensions, [&](const LayoutDimension& other) {
    return other.source == here.source && other.divisor > here.divisor;
  });
}

}  // namespace

bool holds_padding(const Schedule& schedule, const AccessIndex& index) {
  if (index.offset != 0 || index.divisor != 1) return false;
  int axes = 0;
  bool padded = false;
  for (std::size_t axis = 0; axis < index.coefficients.size(); ++axis) {
    if (index.coefficients[axis] == 0) continue;
    ++axes;
    padded = index.coefficients[axis] == 1 && schedule.padded(static_cast<int>(axis));
  }
  return axes == 1 && padded;
}

std::int64_t stored_extent(const Schedule& schedule, const TensorAccess& tensor, int dimension) {
  const AccessIndex& index = tensor.indices[static_cast<std::size_t>(dimension)];
  if (holds_padding(schedule, index)) {
    // The length of a whole axis is fixed.
    for (std::size_t axis = 0; axis < index.coefficients.size(); ++axis)
      if (index.coefficients[axis] != 0)
        return schedule.loop(schedule.root(static_cast<int>(axis))).length.fixed;
  }
  return tensor.shape[static_cast<std::size_t>(dimension)];
}

const TensorAccess& tensor_access(const TensorOperator& op, std::size_t number) {
  return number < op.inputs.size() ? op.inputs[number] : op.output;
}

std::int64_t length_product(const Schedule& schedule, const std::vector<LoopId>& loops,
                            const Configuration& configuration) {
  std::int64_t product = 1;
  for (const LoopId loop : loops) product *= schedule.length(loop, configuration);
  return product;
}

Layout resolved_layout(const Schedule& schedule, std::size_t tensor, const Configuration& configuration) {
  const TensorAccess& access = tensor_access(schedule.op(), tensor);
  const PackedLayout& packed = schedule.layout_of(static_cast<int>(tensor), configuration);
  Layout layout{packed.name, access.shape, {}};
  for (const PackedDimension& dimension : packed.dimensions) {
    const std::int64_t divisor = length_product(schedule, dimension.inner, configuration);
    const std::int64_t size = stored_extent(schedule, access, dimension.source);
    const std::int64_t extent = dimension.extent.empty()
                                    ? (size + divisor - 1) / divisor
                                    : length_product(schedule, dimension.extent, configuration);
    layout.dimensions.push_back({dimension.source, divisor, extent});
  }
  return layout;
}

IndexExpression layout_offset(const Layout& layout, const std::vector<IndexExpression>& indices,
                              const Ranges& ranges) {
  IndexExpression offset;
  std::int64_t stride = 1;
  for (std::size_t i = layout.dimensions.size(); i-- > 0;) {
    const LayoutDimension& dimension = layout.dimensions[i];
    if (dimension.extent == 1) continue;
    IndexExpression index =
        floor_divide(indices[static_cast<std::size_t>(dimension.source)], dimension.divisor, ranges);
    if (wraps(layout, dimension)) index = modulo(index, dimension.extent, ranges);
    offset += index * stride;
    stride *= dimension.extent;
  }
  return offset;
}

bool is_unrolled(const Schedule& schedule, const ScheduleLoop& loop, const Configuration& configuration) {
  return loop.unrolled || (loop.unrolled_if && schedule.knob_value(*loop.unrolled_if, configuration) == 1);
}

}  // namespace kernelscape
