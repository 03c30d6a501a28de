#include "core/schedule/axis_roles.h"

#include <algorithm>

namespace kernelscape::schedule {

bool moves(const task::TensorAccess& tensor, int axis) {
  return std::ranges::any_of(tensor.indices, [&](const task::AccessIndex& index) {
    return index.coefficients[static_cast<std::size_t>(axis)] != 0;
  });
}

std::vector<AxisRole> axis_roles(const task::TensorOperator& op) {
  std::vector<AxisRole> roles;
  for (std::size_t i = 0; i < op.axes.size(); ++i) {
    const auto axis = static_cast<int>(i);
    const bool first = moves(op.inputs[0], axis);
    const bool second = moves(op.inputs[1], axis);
    const bool output = moves(op.output, axis);
    AxisRole role = AxisRole::None;
    if (op.axes[i].reduction)
      role = first && second && !output ? AxisRole::Depth : AxisRole::None;
    else if (output && first)
      role = second ? AxisRole::Batch : AxisRole::Row;
    else if (output && second)
      role = AxisRole::Column;
    roles.push_back(role);
  }
  return roles;
}

int own_dimension(const task::TensorAccess& tensor, int axis) {
  int found = -1;
  for (std::size_t d = 0; d < tensor.indices.size(); ++d) {
    const task::AccessIndex& index = tensor.indices[d];
    if (index.coefficients[static_cast<std::size_t>(axis)] == 0) continue;
    const auto others = std::ranges::count_if(index.coefficients, [](std::int64_t c) { return c != 0; }) - 1;
    const bool alone = others == 0 && index.coefficients[static_cast<std::size_t>(axis)] == 1 &&
                       index.offset == 0 && index.divisor == 1;
    if (!alone || found >= 0) return -1;
    found = static_cast<int>(d);
  }
  return found;
}

}  // namespace kernelscape::schedule
