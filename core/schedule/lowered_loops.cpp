#include "core/schedule/lowered_loops.h"

#include <utility>

#include "core/loop_nest/rewrite.h"
#include "core/schedule/resolved_record.h"

namespace kernelscape {

LoweredLoops::LoweredLoops(const Schedule& schedule, const Configuration& configuration)
    : schedule_(schedule),
      configuration_(configuration),
      order_(schedule.ordered_loops(configuration)),
      variables_(schedule.loops().size(), no_variable) {
  for (const LoopId loop : order_)
    if (length(loop) > 1)
      variables_[static_cast<std::size_t>(loop.number)] =
          add_variable(schedule.loop(loop).name, length(loop));
}

bool LoweredLoops::is_reduction(LoopId loop) const {
  return schedule_.op().axes[static_cast<std::size_t>(schedule_.loop(loop).axis)].reduction;
}

int LoweredLoops::add_variable(const std::string& name, std::int64_t iterations) {
  nest_.variables.push_back(name);
  nest_.ranges.push_back({0, iterations - 1});
  return static_cast<int>(nest_.variables.size()) - 1;
}

int LoweredLoops::add_buffer(Buffer buffer) {
  nest_.buffers.push_back(std::move(buffer));
  return static_cast<int>(nest_.buffers.size()) - 1;
}

void LoweredLoops::add_tensors() {
  for (std::size_t i = 0; i <= schedule_.op().inputs.size(); ++i) {
    const TensorAccess& access = tensor_access(schedule_.op(), i);
    Buffer buffer;
    buffer.name = access.tensor;
    buffer.element_type = to_string(access.type);
    buffer.written = i == schedule_.op().inputs.size();
    buffer.layout = resolved_layout(schedule_, i, configuration_);
    add_buffer(std::move(buffer));
  }
}

IndexExpression LoweredLoops::value_of(LoopId loop, const LoopFilter& chosen,
                                       const Overhang& overhangs) const {
  const ScheduleLoop& record = schedule_.loop(loop);
  if (record.parts.empty()) {
    const int variable = variable_of(loop);
    if (variable == no_variable || !chosen(loop)) return 0;
    return IndexExpression::variable(variable);
  }
  IndexExpression value;
  std::int64_t stride = 1;
  for (std::size_t i = record.parts.size(); i-- > 0;) {
    value += value_of(record.parts[i], chosen, overhangs) * stride;
    stride *= length(record.parts[i]);
  }
  if (stride != length(loop)) overhangs(loop, value);
  return value;
}

IndexExpression LoweredLoops::numerator(const AccessIndex& index, const std::vector<IndexExpression>& axes) {
  IndexExpression value(index.offset);
  for (std::size_t axis = 0; axis < index.coefficients.size(); ++axis)
    value += axes[axis] * index.coefficients[axis];
  return value;
}

BufferAccess LoweredLoops::global(std::size_t tensor, const std::vector<IndexExpression>& indices) const {
  return {static_cast<int>(tensor), layout_offset(nest_.buffers[tensor].layout, indices, nest_.ranges), 0};
}

std::vector<LoweredLoops::Decoded> LoweredLoops::decode(const std::vector<LoopId>& loops,
                                                        int variable) const {
  std::vector<Decoded> decoded;
  std::int64_t stride = 1;
  for (std::size_t i = loops.size(); i-- > 0;) {
    if (variable_of(loops[i]) == no_variable) continue;
    const IndexExpression value = floor_divide(IndexExpression::variable(variable), stride, nest_.ranges);
    decoded.push_back({variable_of(loops[i]), modulo(value, length(loops[i]), nest_.ranges)});
    stride *= length(loops[i]);
  }
  return decoded;
}

StatementPtr LoweredLoops::bind(const std::vector<Decoded>& decoded, StatementPtr body) {
  for (const Decoded& one : decoded) body = make_statement(Let{one.variable, one.value, std::move(body)});
  return body;
}

StatementPtr LoweredLoops::wrap(const std::vector<LoopId>& loops, StatementPtr body,
                                const LoopMark& mark) const {
  for (std::size_t i = loops.size(); i-- > 0;) {
    const int variable = variable_of(loops[i]);
    if (variable == no_variable) continue;
    Loop loop{variable, 0, length(loops[i]), LoopKind::Serial, 1, std::move(body)};
    mark(loops[i], loop);
    body = make_statement(std::move(loop));
  }
  return body;
}

IndexExpression box_offset(const std::vector<std::int64_t>& extents,
                           const std::vector<IndexExpression>& indices) {
  IndexExpression offset;
  std::int64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    offset += indices[i] * stride;
    stride *= extents[i];
  }
  return offset;
}

}  // namespace kernelscape
