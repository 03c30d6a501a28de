#include "core/exchange/model/model_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/visible_text.h"
#include "core/exchange/model/arranged_bytes.h"
#include "core/exchange/model/loop_text.h"
#include "core/exchange/model/operators.h"

namespace kernelscape::exchange {
namespace {

constexpr std::size_t weight_alignment = 64;

std::size_t bytes_of_element(graph::ElementType type) {
  return static_cast<std::size_t>(graph::bytes_of(type));
}

}  // namespace

base::Literal c_type(graph::ElementType type) {
  switch (type) {
    case graph::ElementType::F32:
      return "float";
    case graph::ElementType::F64:
      return "double";
    case graph::ElementType::I32:
      return "int32_t";
    case graph::ElementType::I64:
      return "int64_t";
    case graph::ElementType::I8:
      return "int8_t";
    case graph::ElementType::U8:
      return "uint8_t";
    case graph::ElementType::Bool:
      return "unsigned char";
    default:
      return "void";  // refused before anything is written
  }
}

LoopOperand whole_operand(const ValueForm& form, std::size_t rank) {
  return {form, {.layout = with_rank(form.layout, rank)}};
}

ModelSteps::ModelSteps(const graph::Graph& graph, const KernelChoice& kernels, const LayerPlan& plan)
    : graph_(graph), kernels_(kernels), plan_(plan), forms_(graph.values.size()) {
  find_joins();
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const graph::Value& input = graph.values[graph.inputs[i]];
    forms_[graph.inputs[i]].push_back(
        {input.type, loop_nest::row_major("plain", input.shape), ModelMemory::Input, i});
  }
}

Result<ValueForm> ModelSteps::first_form(std::size_t number) {
  if (!forms_[number].empty()) return forms_[number].front();
  const graph::Value& constant = graph_.values[number];
  if (!constant.constant)
    return fail(ErrorCode::Internal,
                fmt::format("the value {} is read before it is computed", base::quoted_line(constant.name)));
  const auto bytes = TRY(graph::constant_bytes(constant));
  add_form(number, add_weights(constant.type, loop_nest::row_major("plain", constant.shape), *bytes));
  return forms_[number].front();
}

Result<ValueForm> ModelSteps::form_in(std::size_t number, const loop_nest::Layout& layout) {
  for (const ValueForm& form : forms_[number])
    if (same_order(form.layout, layout)) return form;
  const graph::Value& read = graph_.values[number];
  if (read.constant) {
    const auto bytes = TRY(graph::constant_bytes(read));
    add_form(number,
             add_weights(read.type, layout, arranged_bytes(*bytes, layout, bytes_of_element(read.type))));
    return forms_[number].back();
  }
  ValueForm from = TRY(first_form(number));
  // Blocks that do not divide each other are converted in two steps.
  const std::vector<TensorView> views{{.layout = layout}, {.layout = from.layout}};
  if (!strided_nests(read.shape, views) && !is_row_major(layout)) from = TRY(plain_form(number));
  const ValueForm to = scratch(read.type, layout);
  TRY(add_conversion(fmt::format("{}: converted to {}", base::quoted_line(read.name), layout.name),
                     read.shape, to, from));
  add_form(number, to);
  return to;
}

Result<ValueForm> ModelSteps::plain_form(std::size_t number) {
  return form_in(number, loop_nest::row_major("plain", graph_.values[number].shape));
}

void ModelSteps::find_joins() {
  for (const graph::Node& node : graph_.nodes) {
    if (node.operation != "Concat") continue;
    const graph::Shape& shape = graph_.values[node.outputs[0]].shape;
    const std::size_t axis = axis_of(graph::integer_attribute(node, "axis", 0), shape.size());
    // Only along the outermost axis that is not 1 are the operands whole ranges of the result.
    if (std::any_of(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis),
                    [](std::int64_t extent) { return extent != 1; }))
      continue;
    std::int64_t start = 0;
    for (const std::size_t input : node.inputs) {
      joins_.try_emplace(input, Join{&node, start});
      start += graph_.values[input].shape[axis];
    }
  }
}

ValueForm ModelSteps::make_form(std::size_t number, loop_nest::Layout layout) {
  ValueForm form = place_of(number, std::move(layout));
  add_form(number, form);
  return form;
}

ValueForm ModelSteps::place_of(std::size_t number, loop_nest::Layout layout) {
  if (const auto known = joined_.find(number);
      known != joined_.end() && same_order(known->second.layout, layout))
    return known->second;
  if (const auto join = joins_.find(number); join != joins_.end())
    if (const std::optional<ValueForm> part = place_in_result(join->second, number, layout)) return *part;
  return scratch(graph_.values[number].type, std::move(layout));
}

std::optional<ValueForm> ModelSteps::place_in_result(const Join& join, std::size_t number,
                                                     const loop_nest::Layout& layout) {
  const graph::Value& result = graph_.values[join.node->outputs[0]];
  const std::size_t axis = axis_of(graph::integer_attribute(*join.node, "axis", 0), result.shape.size());
  const std::int64_t block = channel_block(layout);
  if (block == 0 || (block > 1 && axis != 1)) return std::nullopt;
  for (const std::size_t input : join.node->inputs)
    if (block > 1 && graph_.values[input].shape[axis] % block != 0) return std::nullopt;
  const loop_nest::Layout whole = blocked_channels(result.shape, block);
  auto known = joined_.find(join.node->outputs[0]);
  if (known == joined_.end())
    known = joined_.emplace(join.node->outputs[0], place_of(join.node->outputs[0], whole)).first;
  if (!same_order(known->second.layout, whole)) return std::nullopt;
  graph::Shape start(result.shape.size(), 0);
  start[axis] = join.start;
  ValueForm part = known->second;
  part.layout = layout;
  // An operand of no elements may start behind the last one.
  if (graph::element_count(graph_.values[number].shape) > 0)
    part.byte_offset += whole.offset(start) * graph::bytes_of(result.type);
  return part;
}

std::optional<ValueForm> ModelSteps::joined_form(std::size_t result) const {
  const auto known = joined_.find(result);
  return known == joined_.end() ? std::nullopt : std::optional(known->second);
}

bool ModelSteps::is_at(std::size_t number, const ValueForm& place) const {
  return std::ranges::any_of(forms_[number], [&](const ValueForm& form) {
    return form.memory == place.memory && form.place == place.place &&
           form.byte_offset == place.byte_offset && same_order(form.layout, place.layout);
  });
}

ValueForm ModelSteps::scratch(graph::ElementType type, loop_nest::Layout layout) {
  const std::int64_t bytes = std::max<std::int64_t>(layout.physical_count(), 1) * graph::bytes_of(type);
  buffers_.push_back({bytes, steps_.size(), steps_.size()});
  return {type, std::move(layout), ModelMemory::Arena, buffers_.size() - 1};
}

ValueForm ModelSteps::add_weights(graph::ElementType type, loop_nest::Layout layout,
                                  std::span<const std::byte> bytes) {
  const std::uint64_t place = weights_.size();
  weights_.insert(weights_.end(), bytes.begin(), bytes.end());
  weights_.resize((weights_.size() + weight_alignment - 1) / weight_alignment * weight_alignment);
  return {type, std::move(layout), ModelMemory::Weights, place};
}

void ModelSteps::use(const ValueForm& form) {
  if (form.memory != ModelMemory::Arena) return;
  graph::BufferUse& buffer = buffers_[form.place];
  buffer.last_step = std::max(buffer.last_step, steps_.size());
}

base::CSourceText ModelSteps::address(const ValueForm& form, bool written) {
  use(form);
  const base::Literal type = c_type(form.type);
  const base::CSourceText offset =
      form.byte_offset == 0 ? base::CSourceText() : base::write<base::CSource>(" + {}", form.byte_offset);
  switch (form.memory) {
    case ModelMemory::Arena:
      return base::write<base::CSource>("({}{} *)(run->arena + place_{}{})",
                                        written ? base::Literal("") : base::Literal("const "), type,
                                        form.place, offset);
    case ModelMemory::Weights:
      return base::write<base::CSource>("(const {} *)(run->weights + {}{})", type, form.place, offset);
    case ModelMemory::Input:
      break;
  }
  return base::write<base::CSource>("(const {} *)((const char *)run->inputs[{}]{})", type, form.place,
                                    offset);
}

void ModelSteps::add_step(std::string about, base::CSourceText text, StepKind kind) {
  steps_.push_back({std::move(about), std::move(text), kind});
}

void ModelSteps::add_layer(std::string about, base::CSourceText text, std::string task) {
  steps_.push_back({std::move(about), std::move(text), StepKind::Layer, std::move(task)});
}

Status ModelSteps::add_loop(std::string about, const graph::Shape& shape,
                            const std::vector<LoopOperand>& operands, const LoopStatement& statement,
                            StepKind kind) {
  std::vector<TensorView> views;
  std::vector<LoopPointer> pointers;
  for (const LoopOperand& operand : operands) {
    views.push_back(operand.view);
    const ValueForm& result = operands.front().form;
    const bool in_place = !pointers.empty() && operand.form.memory == ModelMemory::Arena &&
                          operand.form.place == result.place &&
                          operand.form.byte_offset == result.byte_offset;
    pointers.push_back({c_type(operand.form.type), address(operand.form, pointers.empty()), in_place});
  }
  const auto nests = strided_nests(shape, views);
  if (!nests)
    return fail(ErrorCode::Internal, fmt::format("{}: its layouts have blocks that do not nest", about));
  add_step(std::move(about), loop_text(*nests, pointers, statement), kind);
  return {};
}

Status ModelSteps::add_copy(std::string about, const graph::Shape& shape, const LoopOperand& to,
                            const LoopOperand& from, StepKind kind) {
  return add_loop(
      std::move(about), shape, {to, from},
      [](const std::vector<base::CSourceText>& operands) {
        return base::write<base::CSource>("{} = {};", operands[0], operands[1]);
      },
      kind);
}

void ModelSteps::add_gap_fill(const std::string& about, const ValueForm& to) {
  if (has_gaps(to.layout))
    add_step(about + ", gaps",
             base::write<base::CSource>("  op_fill_zero(part, parts, {}, {});\n", address(to, true),
                                        to.layout.physical_count() * graph::bytes_of(to.type)),
             StepKind::Conversion);
}

Status ModelSteps::add_conversion(const std::string& about, const graph::Shape& shape, const ValueForm& to,
                                  const ValueForm& from) {
  add_gap_fill(about, to);
  return add_copy(about, shape, whole_operand(to, shape.size()), whole_operand(from, shape.size()),
                  StepKind::Conversion);
}

}  // namespace kernelscape::exchange
