#include "core/schedule/resolved_record.h"

namespace kernelscape {

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
    // The whole of an axis is a fixed length.
    for (std::size_t axis = 0; axis < index.coefficients.size(); ++axis)
      if (index.coefficients[axis] != 0)
        return schedule.loop(schedule.root(static_cast<int>(axis))).length.fixed;
  }
  return tensor.shape[static_cast<std::size_t>(dimension)];
}

bool is_unrolled(const Schedule& schedule, const ScheduleLoop& loop, const Configuration& configuration) {
  return loop.unrolled || (loop.unrolled_if && schedule.knob_value(*loop.unrolled_if, configuration) == 1);
}

}  // namespace kernelscape
