#include "core/schedule/resolved_record.h"

#include <algorithm>

namespace kernelscape::schedule {
namespace {

/**
 * Returns false for the outermost dimension of a source, which covers the rest: its index needs no remainder.
 */
bool wraps(const loop_nest::Layout& layout, const loop_nest::LayoutDimension& here) {
  return std::ranges::any_of(layout.dimensions, [&](const loop_nest::LayoutDimension& other) {
    return other.source == here.source && other.divisor > here.divisor;
  });
}

}  // namespace

bool holds_padding(const Schedule& schedule, const task::AccessIndex& index) {
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

std::int64_t stored_extent(const Schedule& schedule, const task::TensorAccess& tensor, int dimension) {
  const task::AccessIndex& index = tensor.indices[static_cast<std::size_t>(dimension)];
  if (holds_padding(schedule, index)) {
    // The length of a whole axis is fixed.
    for (std::size_t axis = 0; axis < index.coefficients.size(); ++axis)
      if (index.coefficients[axis] != 0)
        return schedule.loop(schedule.root(static_cast<int>(axis))).length.fixed;
  }
  return tensor.shape[static_cast<std::size_t>(dimension)];
}

const task::TensorAccess& tensor_access(const task::TensorOperator& op, std::size_t number) {
  return number < op.inputs.size() ? op.inputs[number] : op.output;
}

std::int64_t length_product(const Schedule& schedule, const std::vector<LoopId>& loops,
                            const space::Configuration& configuration) {
  std::int64_t product = 1;
  for (const LoopId loop : loops) product *= schedule.length(loop, configuration);
  return product;
}

loop_nest::Layout resolved_layout(const Schedule& schedule, std::size_t tensor,
                                  const space::Configuration& configuration) {
  const task::TensorAccess& access = tensor_access(schedule.op(), tensor);
  const PackedLayout& packed = schedule.layout_of(static_cast<int>(tensor), configuration);
  loop_nest::Layout layout{packed.name, access.shape, {}, packed.winograd_tile};
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

loop_nest::IndexExpression layout_offset(const loop_nest::Layout& layout,
                                         const std::vector<loop_nest::IndexExpression>& indices,
                                         const loop_nest::Ranges& ranges) {
  loop_nest::IndexExpression offset;
  std::int64_t stride = 1;
  for (std::size_t i = layout.dimensions.size(); i-- > 0;) {
    const loop_nest::LayoutDimension& dimension = layout.dimensions[i];
    if (dimension.extent == 1) continue;
    loop_nest::IndexExpression index = loop_nest::floor_divide(
        indices[static_cast<std::size_t>(dimension.source)], dimension.divisor, ranges);
    if (wraps(layout, dimension)) index = loop_nest::modulo(index, dimension.extent, ranges);
    offset += index * stride;
    stride *= dimension.extent;
  }
  return offset;
}

bool is_unrolled(const Schedule& schedule, const Loop& loop, const space::Configuration& configuration) {
  return loop.unrolled || (loop.unrolled_if && schedule.knob_value(*loop.unrolled_if, configuration) == 1);
}

}  // namespace kernelscape::schedule
