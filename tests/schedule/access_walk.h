#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "core/schedule/lower.h"
#include "core/schedule/schedule.h"
#include "core/schedule/template.h"

namespace kernelscape::testing {

/** One tensor accessed by the loops of a configuration, walked point by point. */
class Walk {
 public:
  Walk(const schedule::ScheduledKernel& kernel, const space::Configuration& configuration)
      : schedule_(kernel.schedule()),
        configuration_(configuration),
        order_(schedule_.ordered_loops(configuration)),
        nest_(schedule::lower(schedule_, configuration, kernel.target())) {}

  const std::vector<schedule::LoopId>& order() const { return order_; }
  std::int64_t length(std::size_t place) const { return schedule_.length(order_[place], configuration_); }

  /** Every combination of the loops' values. */
  void for_each_point(const std::function<void(const std::vector<std::int64_t>&)>& visit) const {
    std::vector<std::int64_t> point(order_.size(), 0);
    for (;;) {
      visit(point);
      std::size_t place = order_.size();
      while (place > 0 && ++point[place - 1] == length(place - 1)) point[--place] = 0;
      if (place == 0) return;
    }
  }

  /** Where a tensor is accessed; none where a tile overhangs or the access reads padding. */
  std::optional<std::int64_t> offset(int tensor, const std::vector<std::int64_t>& point) const {
    const task::TensorOperator& op = schedule_.op();
    const auto number = static_cast<std::size_t>(tensor);
    const task::TensorAccess& access = number < op.inputs.size() ? op.inputs[number] : op.output;
    std::vector<std::int64_t> axes;
    for (std::size_t axis = 0; axis < op.axes.size(); ++axis) {
      const auto value = value_of(schedule::LoopId{static_cast<int>(axis)}, point);
      if (!value || *value >= op.axes[axis].extent) return std::nullopt;
      axes.push_back(*value);
    }
    std::vector<std::int64_t> index;
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      std::int64_t value = access.indices[d].offset;
      for (std::size_t axis = 0; axis < axes.size(); ++axis)
        value += access.indices[d].coefficients[axis] * axes[axis];
      if (value < 0 || value % access.indices[d].divisor != 0) return std::nullopt;
      value /= access.indices[d].divisor;
      if (value >= access.shape[d]) return std::nullopt;
      index.push_back(value);
    }
    return nest_.buffers[number].layout.offset(index);
  }

  /** Whether a loop's axis is divided where a tensor is indexed. */
  bool divided(int tensor, std::size_t place) const {
    const task::TensorOperator& op = schedule_.op();
    const auto number = static_cast<std::size_t>(tensor);
    const task::TensorAccess& access = number < op.inputs.size() ? op.inputs[number] : op.output;
    const auto axis = static_cast<std::size_t>(schedule_.loop(order_[place]).axis);
    return std::ranges::any_of(access.indices, [&](const task::AccessIndex& index) {
      return index.divisor > 1 && index.coefficients[axis] != 0;
    });
  }

  const loop_nest::LoopNest& nest() const { return nest_; }

 private:
  std::optional<std::int64_t> value_of(schedule::LoopId id, const std::vector<std::int64_t>& point) const {
    const schedule::Loop& loop = schedule_.loop(id);
    if (loop.parts.empty()) {
      const auto place = std::ranges::find(order_, id);
      return point[static_cast<std::size_t>(place - order_.begin())];
    }
    std::int64_t value = 0;
    for (const schedule::LoopId part : loop.parts) {
      const auto inner = value_of(part, point);
      if (!inner) return std::nullopt;
      value = value * schedule_.length(part, configuration_) + *inner;
    }
    if (value >= schedule_.length(id, configuration_)) return std::nullopt;
    return value;
  }

  const schedule::Schedule& schedule_;
  const space::Configuration& configuration_;
  std::vector<schedule::LoopId> order_;
  loop_nest::LoopNest nest_;
};

/** How far accesses of successive iterations lie apart, per loop and tensor of the operator. */
class SeenSteps {
 public:
  explicit SeenSteps(const Walk& walk) : steps_(walk.order().size()) {
    walk.for_each_point([&](std::vector<std::int64_t> point) {
      for (int tensor = 0; tensor < 3; ++tensor) {
        const auto here = walk.offset(tensor, point);
        if (!here) continue;
        for (std::size_t place = 0; place < point.size(); ++place) look(walk, tensor, point, *here, place);
      }
    });
  }
  const std::set<std::int64_t>& of(std::size_t place, int tensor) const {
    return steps_[place][static_cast<std::size_t>(tensor)];
  }

 private:
  void look(const Walk& walk, int tensor, std::vector<std::int64_t>& point, std::int64_t here,
            std::size_t place) {
    // Where an index is divided, the next iteration that accesses anything may be some further.
    const std::int64_t value = point[place];
    const std::int64_t furthest = walk.divided(tensor, place) ? walk.length(place) - 1 : value + 1;
    while (++point[place] <= std::min(furthest, walk.length(place) - 1)) {
      const auto next = walk.offset(tensor, point);
      if (!next) continue;
      steps_[place][static_cast<std::size_t>(tensor)].insert(*next - here);
      break;
    }
    point[place] = value;
  }

  std::vector<std::array<std::set<std::int64_t>, 3>> steps_;
};

}  // namespace kernelscape::testing
