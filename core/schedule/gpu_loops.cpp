#include "core/schedule/gpu_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "core/loop_nest/rewrite.h"
#include "core/schedule/resolved_record.h"

namespace kernelscape {
namespace {

/** TVM unrolls virtual threads up to here; more of them are a loop. */
constexpr std::int64_t most_unrolled_virtual_threads = 15;

constexpr std::array launch_bindings{std::pair{LaunchDimension::BlockX, Binding::BlockX},
                                     std::pair{LaunchDimension::BlockY, Binding::BlockY},
                                     std::pair{LaunchDimension::BlockZ, Binding::BlockZ},
                                     std::pair{LaunchDimension::ThreadX, Binding::ThreadX},
                                     std::pair{LaunchDimension::ThreadY, Binding::ThreadY},
                                     std::pair{LaunchDimension::ThreadZ, Binding::ThreadZ}};

constexpr std::array launch_names{"block_x", "block_y", "block_z", "thread_x", "thread_y", "thread_z"};

bool is_thread(LaunchDimension dimension) { return dimension >= LaunchDimension::ThreadX; }

bool divides(std::int64_t divisor, const IndexExpression& value, const Ranges& ranges) {
  const IndexExpression rest = modulo(value, divisor, ranges);
  return rest.is_constant() && rest.constant() == 0;
}

}  // namespace

GpuPlace place_of(Binding binding) {
  switch (binding) {
    case Binding::BlockX:
    case Binding::BlockY:
    case Binding::BlockZ:
      return GpuPlace::Block;
    case Binding::ThreadX:
    case Binding::ThreadY:
    case Binding::ThreadZ:
      return GpuPlace::Thread;
    case Binding::VirtualThread:
      return GpuPlace::VirtualThread;
    case Binding::None:
    case Binding::Parallel:
      break;
  }
  return GpuPlace::Serial;
}

std::int64_t CopyTile::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  return count;
}

GpuLoops::GpuLoops(const Schedule& schedule, const Configuration& configuration)
    : LoweredLoops(schedule, configuration) {
  for (const auto& [dimension, binding] : launch_bindings) add_launch_index(dimension, binding);
  add_tensors();
}

std::size_t GpuLoops::position(LoopId loop) const {
  const auto place = std::ranges::find(order(), loop);
  if (place == order().end())
    throw std::logic_error(fmt::format("the loop order misses {}", schedule().loop(loop).name));
  return static_cast<std::size_t>(place - order().begin());
}

void GpuLoops::add_launch_index(LaunchDimension dimension, Binding binding) {
  if (dimension == LaunchDimension::ThreadX && schedule().tensor_core_tile()) {
    // No loop: the threads of a warp share each of its operations.
    const int lane = add_variable("lane", TensorCoreTile::warp_threads);
    nest().launch.push_back({dimension, lane});
    thread_ = IndexExpression::variable(lane);
    threads_ = TensorCoreTile::warp_threads;
    return;
  }
  std::vector<LoopId> loops;
  std::int64_t count = 1;
  for (const LoopId loop : order()) {
    if (schedule().loop(loop).binding != binding || variable_of(loop) == no_variable) continue;
    loops.push_back(loop);
    count *= length(loop);
  }
  if (loops.empty()) return;
  const int index = loops.size() == 1
                        ? variable_of(loops.front())
                        : add_variable(launch_names[static_cast<std::size_t>(dimension)], count);
  nest().launch.push_back({dimension, index});
  if (loops.size() > 1) {
    const std::vector<Decoded> decoded = decode(loops, index);
    decoded_.insert(decoded_.end(), decoded.begin(), decoded.end());
  }
  if (!is_thread(dimension)) return;
  thread_ += IndexExpression::variable(index) * threads_;
  threads_ *= count;
}

std::vector<IndexExpression> GpuLoops::axis_values(const LoopFilter& chosen) const {
  const auto refuse = [&](LoopId loop, const IndexExpression&) {
    throw std::logic_error(
        fmt::format("the tiles of {} overhang, which no GPU kernel handles", schedule().loop(loop).name));
  };
  std::vector<IndexExpression> values;
  for (std::size_t axis = 0; axis < schedule().op().axes.size(); ++axis)
    values.push_back(value_of(schedule().root(static_cast<int>(axis)), chosen, refuse));
  return values;
}

std::int64_t GpuLoops::extent_of(LoopId loop, const LoopFilter& chosen) const {
  const ScheduleLoop& record = schedule().loop(loop);
  if (record.parts.empty()) return chosen(loop) ? length(loop) : 1;
  std::int64_t extent = 1;
  for (const LoopId part : record.parts) extent *= extent_of(part, chosen);
  return extent;
}

std::int64_t GpuLoops::axis_extent(std::size_t axis, const LoopFilter& chosen) const {
  return extent_of(schedule().root(static_cast<int>(axis)), chosen);
}

std::vector<IndexExpression> GpuLoops::tensor_indices(std::size_t number,
                                                      const std::vector<IndexExpression>& axes) const {
  std::vector<IndexExpression> indices;
  for (const AccessIndex& index : tensor_access(schedule().op(), number).indices) {
    if (index.divisor != 1) throw std::logic_error("no GPU template divides an index");
    indices.push_back(numerator(index, axes));
  }
  return indices;
}

CopyTile GpuLoops::tile(std::size_t tensor, const LoopFilter& chosen) const {
  CopyTile tile;
  tile.first = tensor_indices(tensor, axis_values([&](LoopId loop) { return !chosen(loop); }));
  for (const AccessIndex& index : tensor_access(schedule().op(), tensor).indices) {
    std::int64_t extent = 1;
    for (std::size_t axis = 0; axis < index.coefficients.size(); ++axis)
      extent += index.coefficients[axis] * (axis_extent(axis, chosen) - 1);
    tile.extents.push_back(extent);
  }
  return tile;
}

std::vector<IndexExpression> GpuLoops::tile_indices(std::size_t tensor, const LoopFilter& chosen) const {
  std::vector<IndexExpression> indices = tensor_indices(tensor, axis_values(chosen));
  for (std::size_t d = 0; d < indices.size(); ++d)
    indices[d] += IndexExpression(-tensor_access(schedule().op(), tensor).indices[d].offset);
  return indices;
}

StatementPtr GpuLoops::wrap(const std::vector<LoopId>& loops, StatementPtr body) const {
  return LoweredLoops::wrap(loops, std::move(body), [&](LoopId id, Loop& loop) {
    const bool short_virtual_thread =
        place(id) == GpuPlace::VirtualThread && length(id) <= most_unrolled_virtual_threads;
    if (short_virtual_thread || is_unrolled(schedule(), schedule().loop(id), configuration()))
      loop.unroll_hint = length(id);
  });
}

std::vector<std::size_t> storage_order(const Layout& layout) {
  std::vector<std::size_t> order;
  for (const LayoutDimension& dimension : layout.dimensions) {
    if (dimension.divisor != 1) throw std::logic_error("tiles of blocked layouts are not copied");
    order.push_back(static_cast<std::size_t>(dimension.source));
  }
  return order;
}

std::vector<IndexExpression> box_indices(const std::vector<std::int64_t>& extents,
                                         const std::vector<std::size_t>& order,
                                         const IndexExpression& element, const Ranges& ranges) {
  std::vector<IndexExpression> indices(extents.size());
  std::int64_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::int64_t extent = extents[order[i]];
    indices[order[i]] = modulo(floor_divide(element, stride, ranges), extent, ranges);
    stride *= extent;
  }
  return indices;
}

IndexExpression padded_box_offset(const std::vector<std::int64_t>& extents,
                                  const std::vector<std::size_t>& order, std::int64_t row_elements,
                                  const std::vector<IndexExpression>& indices) {
  std::vector<std::int64_t> stored;
  std::vector<IndexExpression> places;
  for (const std::size_t dimension : order) {
    stored.push_back(extents[dimension]);
    places.push_back(indices[dimension]);
  }
  stored.back() = row_elements;
  return box_offset(stored, places);
}

StatementPtr cooperate(GpuLoops& loops, const std::string& name, std::int64_t groups, std::int64_t lanes,
                       const std::function<StatementPtr(const IndexExpression& element)>& body) {
  const std::int64_t iterations = (groups + loops.threads() - 1) / loops.threads();
  IndexExpression group = loops.thread();
  int iteration = GpuLoops::no_variable;
  if (iterations > 1) {
    iteration = loops.add_variable("pass_" + name, iterations);
    group += IndexExpression::variable(iteration) * loops.threads();
  }
  const int element = loops.add_variable("element_" + name, groups * lanes - lanes + 1);
  StatementPtr result = body(IndexExpression::variable(element));
  result = make_statement(Let{element, group * lanes, std::move(result)});
  if (iterations * loops.threads() > groups)
    result = make_statement(Guard{{Condition{group, groups, 1}}, std::move(result)});
  if (iteration != GpuLoops::no_variable)
    result = make_statement(Loop{iteration, 0, iterations, LoopKind::Serial, 1, std::move(result)});
  return result;
}

StatementPtr cooperative_copy(GpuLoops& loops, const SharedTile& shared) {
  const TensorAccess& tensor = loops.schedule().op().inputs[shared.input];
  const std::vector<std::int64_t>& extents = shared.tile.extents;
  const std::vector<std::size_t> order = storage_order(loops.nest().buffers[shared.input].layout);
  const std::size_t last = order.back();
  const std::string name = loops.nest().buffers[static_cast<std::size_t>(shared.buffer)].name;
  const auto source_at = [&](const std::vector<IndexExpression>& inside) {
    std::vector<IndexExpression> indices = shared.tile.first;
    for (std::size_t d = 0; d < indices.size(); ++d) indices[d] += inside[d];
    return indices;
  };
  /** Lanes must stay in a row, aligned, and be inside of the tensor together. */
  const auto fits = [&](std::int64_t lanes) {
    if (lanes == 1) return true;
    const Condition inside{shared.tile.first[last], tensor.shape[last] - extents[last] + 1, 1};
    return extents[last] % lanes == 0 && tensor.shape[last] % lanes == 0 &&
           shared.row_elements % lanes == 0 && divides(lanes, shared.tile.first[last], loops.ranges()) &&
           decide(inside, loops.ranges()) == Certainty::Always;
  };
  std::int64_t lanes = shared.lanes;
  while (!fits(lanes)) lanes /= 2;

  const auto copy = [&](const IndexExpression& element) {
    const std::vector<IndexExpression> inside = box_indices(extents, order, element, loops.ranges());
    const std::vector<IndexExpression> indices = source_at(inside);
    std::vector<Condition> conditions;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const Condition condition{indices[d], tensor.shape[d], 1};
      const bool lane_row = lanes > 1 && d == last;
      if (!lane_row && decide(condition, loops.ranges()) != Certainty::Always)
        conditions.push_back(condition);
    }
    const IndexExpression place =
        shared.first_offset + (shared.row_elements == extents[last]
                                   ? element
                                   : padded_box_offset(extents, order, shared.row_elements, inside));
    BufferAccess source = loops.global(shared.input, indices);
    source.lane_stride = lanes > 1 ? 1 : 0;
    return make_statement(Compute{conditions.empty() ? Operation::Copy : Operation::CopyOrZero,
                                  {shared.buffer, place, source.lane_stride},
                                  {source},
                                  lanes,
                                  conditions});
  };
  return cooperate(loops, name, shared.tile.elements() / lanes, lanes, copy);
}

}  // namespace kernelscape
