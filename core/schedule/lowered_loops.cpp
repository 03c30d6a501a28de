#include "core/schedule/lowered_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "core/loop_nest/rewrite.h"
#include "core/schedule/resolved_record.h"

namespace kernelscape::schedule {
namespace {

/** TVM unrolls up to this number of virtual threads; a larger number becomes a loop. */
constexpr std::int64_t max_unrolled_virtual_threads = 15;

constexpr std::array launch_bindings{std::pair{loop_nest::LaunchDimension::BlockX, Binding::BlockX},
                                     std::pair{loop_nest::LaunchDimension::BlockY, Binding::BlockY},
                                     std::pair{loop_nest::LaunchDimension::BlockZ, Binding::BlockZ},
                                     std::pair{loop_nest::LaunchDimension::ThreadX, Binding::ThreadX},
                                     std::pair{loop_nest::LaunchDimension::ThreadY, Binding::ThreadY},
                                     std::pair{loop_nest::LaunchDimension::ThreadZ, Binding::ThreadZ}};

constexpr std::array launch_names{"block_x", "block_y", "block_z", "thread_x", "thread_y", "thread_z"};

bool is_thread(loop_nest::LaunchDimension dimension) {
  return dimension >= loop_nest::LaunchDimension::ThreadX;
}

/** Returns for each loop of an order the last position of its item, if a knob permutes the item. */
std::vector<std::size_t> last_places(const Schedule& schedule, std::size_t loops) {
  std::vector<std::size_t> places;
  for (const OrderItem& item : schedule.order()) {
    const std::size_t count = item.choice ? item.alternatives.front().size() : item.loops.size();
    const std::size_t first = places.size();
    for (std::size_t i = 0; i < count; ++i)
      places.push_back(item.permutation ? first + count - 1 : first + i);
  }
  if (places.size() != loops) throw std::logic_error("orders of different lengths");
  return places;
}

}  // namespace

LoopPlace place_of(Binding binding) {
  switch (binding) {
    case Binding::BlockX:
    case Binding::BlockY:
    case Binding::BlockZ:
      return LoopPlace::Block;
    case Binding::ThreadX:
    case Binding::ThreadY:
    case Binding::ThreadZ:
      return LoopPlace::Thread;
    case Binding::VirtualThread:
      return LoopPlace::VirtualThread;
    case Binding::Parallel:
      return LoopPlace::Dealt;
    case Binding::None:
      break;
  }
  return LoopPlace::Serial;
}

LoweredLoops::LoweredLoops(const Schedule& schedule, const space::Configuration& configuration,
                           TargetKind target)
    : schedule_(schedule),
      configuration_(configuration),
      target_(target),
      order_(schedule.ordered_loops(configuration)),
      positions_(last_places(schedule, order_.size())),
      variables_(schedule.loops().size(), no_variable) {
  for (const LoopId loop : order_)
    if (length(loop) > 1)
      variables_[static_cast<std::size_t>(loop.number)] =
          add_variable(schedule.loop(loop).name, length(loop));
  if (on_cpu()) {
    deal_out();
  } else {
    for (const auto& [dimension, binding] : launch_bindings) add_launch_index(dimension, binding);
  }
  add_tensors();
}

/** Replaces parallel loops by one loop over blocks, from which their variables are decoded. */
void LoweredLoops::deal_out() {
  std::vector<LoopId> dealt;
  for (const LoopId loop : order_) {
    if (place(loop) != LoopPlace::Dealt) continue;
    dealt.push_back(loop);
    dealt_iterations_ *= length(loop);
  }
  dealt_variable_ = add_variable("block", dealt_iterations_);
  decoded_ = decode(dealt, dealt_variable_);
}

void LoweredLoops::add_launch_index(loop_nest::LaunchDimension dimension, Binding binding) {
  const std::optional<Tensorized>& tensorized = schedule_.tensorized();
  if (dimension == loop_nest::LaunchDimension::ThreadX && tensorized && tensorized->intrinsic->threads > 1) {
    // This is not a loop: the threads of a warp share each of its operations.
    threads_ = tensorized->intrinsic->threads;
    const int lane = add_variable("lane", threads_);
    nest_.launch.push_back({dimension, lane});
    thread_ = loop_nest::IndexExpression::variable(lane);
    return;
  }
  std::vector<LoopId> loops;
  std::int64_t count = 1;
  for (const LoopId loop : order_) {
    if (schedule_.loop(loop).binding != binding || !runs(loop)) continue;
    loops.push_back(loop);
    count *= length(loop);
  }
  if (loops.empty()) return;
  const int index = loops.size() == 1
                        ? variable_of(loops.front())
                        : add_variable(launch_names[static_cast<std::size_t>(dimension)], count);
  nest_.launch.push_back({dimension, index});
  if (loops.size() > 1) {
    const std::vector<Decoded> decoded = decode(loops, index);
    decoded_.insert(decoded_.end(), decoded.begin(), decoded.end());
  }
  if (!is_thread(dimension)) return;
  thread_ += loop_nest::IndexExpression::variable(index) * threads_;
  threads_ *= count;
}

bool LoweredLoops::is_reduction(LoopId loop) const {
  return schedule_.op().axes[static_cast<std::size_t>(schedule_.loop(loop).axis)].reduction;
}

loop_nest::IndexExpression LoweredLoops::index_of(LoopId loop) const {
  return runs(loop) ? loop_nest::IndexExpression::variable(variable_of(loop)) : loop_nest::IndexExpression(0);
}

int LoweredLoops::add_variable(const std::string& name, std::int64_t iterations) {
  nest_.variables.push_back(name);
  nest_.ranges.push_back({0, iterations - 1});
  return static_cast<int>(nest_.variables.size()) - 1;
}

int LoweredLoops::add_buffer(loop_nest::Buffer buffer) {
  nest_.buffers.push_back(std::move(buffer));
  return static_cast<int>(nest_.buffers.size()) - 1;
}

void LoweredLoops::add_tensors() {
  for (std::size_t i = 0; i <= schedule_.op().inputs.size(); ++i) {
    const task::TensorAccess& access = tensor_access(schedule_.op(), i);
    loop_nest::Buffer buffer;
    buffer.name = access.tensor;
    buffer.element_type = task::to_string(access.type);
    buffer.written = i == schedule_.op().inputs.size();
    buffer.layout = resolved_layout(schedule_, i, configuration_);
    add_buffer(std::move(buffer));
  }
  for (const task::TensorAccess& operand : schedule_.op().operands) {
    loop_nest::Buffer buffer;
    buffer.name = operand.tensor;
    buffer.element_type = task::to_string(operand.type);
    buffer.layout = operand_layout(operand);
    add_buffer(std::move(buffer));
  }
}

loop_nest::Layout LoweredLoops::operand_layout(const task::TensorAccess& operand) const {
  const task::TensorOperator& op = schedule_.op();
  // A residual connection comes in the output's layout, as another kernel writes it.
  if (operand.indices == op.output.indices) return nest_.buffers[op.inputs.size()].layout;
  loop_nest::Layout layout{"row-major", operand.shape, {}};
  for (std::size_t d = 0; d < operand.shape.size(); ++d)
    layout.dimensions.push_back(
        {static_cast<int>(d), 1, stored_extent(schedule_, operand, static_cast<int>(d))});
  return layout;
}

std::size_t LoweredLoops::position(LoopId loop) const {
  const auto place = std::ranges::find(order_, loop);
  if (place == order_.end())
    throw std::logic_error(fmt::format("the loop order does not contain {}", schedule_.loop(loop).name));
  return positions_[static_cast<std::size_t>(place - order_.begin())];
}

bool LoweredLoops::serial_inside(LoopId loop, LoopId at) const {
  const auto place = static_cast<std::size_t>(std::ranges::find(order_, loop) - order_.begin());
  return this->place(loop) == LoopPlace::Serial && place > position(at);
}

loop_nest::IndexExpression LoweredLoops::value_of(LoopId loop, const LoopFilter& chosen,
                                                  const Overhang& overhangs) const {
  const Loop& record = schedule_.loop(loop);
  if (record.fused_into) return fused_value(loop, chosen, overhangs);
  if (record.parts.empty()) return chosen(loop) ? index_of(loop) : loop_nest::IndexExpression(0);
  loop_nest::IndexExpression value;
  std::int64_t stride = 1;
  for (std::size_t i = record.parts.size(); i-- > 0;) {
    value += value_of(record.parts[i], chosen, overhangs) * stride;
    stride *= length(record.parts[i]);
  }
  if (stride != length(loop)) overhangs(loop, value);
  return value;
}

loop_nest::IndexExpression LoweredLoops::fused_value(LoopId loop, const LoopFilter& chosen,
                                                     const Overhang& overhangs) const {
  const LoopId whole = *schedule_.loop(loop).fused_into;
  std::int64_t stride = 1;
  const std::vector<LoopId>& fused = schedule_.loop(whole).fuses;
  for (std::size_t i = fused.size(); fused[--i] != loop;) stride *= length(fused[i]);
  const loop_nest::IndexExpression value =
      loop_nest::floor_divide(value_of(whole, chosen, overhangs), stride, nest_.ranges);
  return loop == fused.front() ? value : loop_nest::modulo(value, length(loop), nest_.ranges);
}

std::vector<loop_nest::IndexExpression> LoweredLoops::axis_values(const LoopFilter& chosen) const {
  std::vector<loop_nest::IndexExpression> values;
  for (std::size_t axis = 0; axis < schedule_.op().axes.size(); ++axis)
    values.push_back(value_of(schedule_.root(static_cast<int>(axis)), chosen,
                              [](LoopId, const loop_nest::IndexExpression&) {}));
  return values;
}

std::int64_t LoweredLoops::extent_of(LoopId loop, const LoopFilter& chosen) const {
  const Loop& record = schedule_.loop(loop);
  if (record.fused_into)
    throw std::logic_error(fmt::format("{} is fused with other loops, which gives no box", record.name));
  if (record.parts.empty()) return chosen(loop) ? length(loop) : 1;
  std::int64_t extent = 1;
  for (const LoopId part : record.parts) extent *= extent_of(part, chosen);
  return extent;
}

std::int64_t LoweredLoops::axis_extent(std::size_t axis, const LoopFilter& chosen) const {
  return extent_of(schedule_.root(static_cast<int>(axis)), chosen);
}

loop_nest::IndexExpression LoweredLoops::numerator(const task::AccessIndex& index,
                                                   const std::vector<loop_nest::IndexExpression>& axes) {
  loop_nest::IndexExpression value(index.offset);
  for (std::size_t axis = 0; axis < index.coefficients.size(); ++axis)
    value += axes[axis] * index.coefficients[axis];
  return value;
}

loop_nest::BufferAccess LoweredLoops::global(std::size_t tensor,
                                             const std::vector<loop_nest::IndexExpression>& indices) const {
  return {static_cast<int>(tensor), layout_offset(nest_.buffers[tensor].layout, indices, nest_.ranges), 0};
}

std::vector<loop_nest::BufferAccess> LoweredLoops::operands_at(
    const std::vector<loop_nest::IndexExpression>& indices) const {
  const task::TensorOperator& op = schedule_.op();
  std::vector<loop_nest::BufferAccess> accesses;
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    const task::TensorAccess& operand = op.operands[i];
    // Its dimensions are those of the output, or consecutive dimensions of the output.
    const auto first = std::ranges::search(op.output.indices, operand.indices).begin();
    const auto begin = indices.begin() + (first - op.output.indices.begin());
    accesses.push_back(
        global(op.inputs.size() + 1 + i, {begin, begin + static_cast<std::ptrdiff_t>(operand.shape.size())}));
  }
  return accesses;
}

std::vector<LoweredLoops::Decoded> LoweredLoops::decode(const std::vector<LoopId>& loops,
                                                        int variable) const {
  std::vector<Decoded> decoded;
  std::int64_t stride = 1;
  for (std::size_t i = loops.size(); i-- > 0;) {
    if (!runs(loops[i])) continue;
    const loop_nest::IndexExpression value =
        loop_nest::floor_divide(loop_nest::IndexExpression::variable(variable), stride, nest_.ranges);
    decoded.push_back({variable_of(loops[i]), loop_nest::modulo(value, length(loops[i]), nest_.ranges)});
    stride *= length(loops[i]);
  }
  return decoded;
}

loop_nest::StatementPtr LoweredLoops::wrap(const std::vector<LoopId>& loops,
                                           loop_nest::StatementPtr body) const {
  for (std::size_t i = loops.size(); i-- > 0;) {
    if (!runs(loops[i])) continue;
    loop_nest::Loop loop{variable_of(loops[i]),       0, length(loops[i]),
                         loop_nest::LoopKind::Serial, 1, std::move(body)};
    mark(loops[i], loop);
    body = loop_nest::make_statement(std::move(loop));
  }
  return body;
}

void LoweredLoops::mark(LoopId id, loop_nest::Loop& loop) const {
  const Loop& record = schedule_.loop(id);
  const bool unrolled = is_unrolled(schedule_, record, configuration_);
  if (on_cpu()) {
    if (unrolled) loop.kind = loop_nest::LoopKind::Unrolled;
    if (record.vectorized) loop.kind = loop_nest::LoopKind::Vectorized;
    if (record.unroll_hint)
      loop.unroll_hint = std::min(length(id), schedule_.knob_value(*record.unroll_hint, configuration_));
    return;
  }
  const bool short_virtual_thread =
      place(id) == LoopPlace::VirtualThread && length(id) <= max_unrolled_virtual_threads;
  const Stage* sums = schedule_.accumulator();
  const bool numbers_fragments =
      sums != nullptr && sums->scope == loop_nest::BufferScope::Fragments && !is_reduction(id);
  if (unrolled || short_virtual_thread || numbers_fragments) loop.unroll_hint = length(id);
}

loop_nest::StatementPtr LoweredLoops::launch(loop_nest::StatementPtr body) const {
  for (const Decoded& one : decoded_)
    body = loop_nest::make_statement(loop_nest::Let{one.variable, one.value, std::move(body)});
  if (!on_cpu()) return body;
  return loop_nest::make_statement(loop_nest::Loop{dealt_variable_, 0, dealt_iterations_,
                                                   loop_nest::LoopKind::Parallel, 1, std::move(body)});
}

loop_nest::IndexExpression box_offset(const std::vector<std::int64_t>& extents,
                                      const std::vector<loop_nest::IndexExpression>& indices) {
  loop_nest::IndexExpression offset;
  std::int64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    offset += indices[i] * stride;
    stride *= extents[i];
  }
  return offset;
}

}  // namespace kernelscape::schedule
