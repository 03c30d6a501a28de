// Pooling, and reductions over any dimensions.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "core/exchange/model/loop_text.h"
#include "core/exchange/model/operators.h"
#include "core/graph/layer_task.h"

namespace kernelscape::exchange {
namespace {

using Extents = std::vector<std::int64_t>;

/** Returns three extents, the missing ones in front. */
Extents three(const Extents& values, std::int64_t otherwise) {
  Extents filled(3 - values.size(), otherwise);
  filled.insert(filled.end(), values.begin(), values.end());
  return filled;
}

base::CSourceText braces(const Extents& values) {
  return base::write<base::CSource>("{{{}, {}, {}}}", values[0], values[1], values[2]);
}

Status write_pool(ModelSteps& steps, const graph::Node& node) {
  const graph::Shape& shape = steps.value(node.inputs[0]).shape;
  const graph::Shape& pooled = steps.value(node.outputs[0]).shape;
  if (shape.size() < 3 || shape.size() > 5)
    return unsupported(node, fmt::format("its input has {} dimensions", shape.size()));
  TRY(check_floats(steps, node, 1));
  if (node.outputs.size() > 1 && node.outputs[1] != graph::absent)
    return unsupported(node, "its indices are read");
  const std::size_t rank = shape.size() - 2;
  const Extents sizes(shape.begin() + 2, shape.end());
  const Extents outputs(pooled.begin() + 2, pooled.end());
  const Extents window = graph::integers_attribute(node, "kernel_shape", {});
  const Extents strides = graph::integers_attribute(node, "strides", Extents(rank, 1));
  const Extents dilations = graph::integers_attribute(node, "dilations", Extents(rank, 1));
  if (window.size() != rank || strides.size() != rank || dilations.size() != rank)
    return unsupported(node, "its kernel, strides or dilations are not one for each dimension");
  const Extents pads = graph::resolved_padding(node, sizes, window, strides, dilations);
  if (pads.size() != 2 * rank) return unsupported(node, "its padding is not one pair for each dimension");
  ValueForm from = TRY(steps.first_form(node.inputs[0]));
  constexpr std::int64_t max_lanes = 64;  // op_max_lanes
  if (const std::int64_t own = channel_block(from.layout); own == 0 || own > max_lanes)
    from = TRY(steps.plain_form(node.inputs[0]));
  const std::int64_t block = channel_block(from.layout);
  const ValueForm to = steps.make_form(node.outputs[0], blocked_channels(pooled, block));
  const Extents begins(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
  const Extents ends(pads.begin() + static_cast<std::ptrdiff_t>(rank), pads.end());
  const bool average = node.operation == "AveragePool";
  const bool padded = graph::integer_attribute(node, "count_include_pad", 0) != 0;
  steps.add_step(about_node(node),
                 base::write<base::CSource>(
                     "  static const struct op_window window = {{{}, {}, {}, {}, {}, {}, {}, {}}};\n"
                     "  {}(part, parts, {}, {}, &window, {}, {});\n",
                     braces(three(sizes, 1)), braces(three(outputs, 1)), braces(three(window, 1)),
                     braces(three(strides, 1)), braces(three(dilations, 1)), braces(three(begins, 0)),
                     braces(three(ends, 0)), padded ? 1 : 0,
                     average ? base::Literal("op_average_pool") : base::Literal("op_max_pool"),
                     shape[0] * shape[1] / block, block, steps.address(from), steps.address(to, true)));
  return {};
}

/** How a reduction combines elements. */
struct Reduction {
  base::Literal begin;
  base::Literal statement;
  base::Literal end;
  bool mean = false;
};

std::optional<Reduction> find_reduction(std::string_view operation) {
  static const std::map<std::string, Reduction, std::less<>> table{
      {"ReduceMean", {"float sum = 0;", "sum += v;", "sum", true}},
      {"GlobalAveragePool", {"float sum = 0;", "sum += v;", "sum", true}},
      {"ReduceSum", {"float sum = 0;", "sum += v;", "sum"}},
      {"ReduceSumSquare", {"float sum = 0;", "sum += v * v;", "sum"}},
      {"ReduceL2", {"float sum = 0;", "sum += v * v;", "sqrtf(sum)"}},
      {"ReduceMax", {"float sum = -HUGE_VALF;", "sum = op_max(sum, v);", "sum"}},
      {"GlobalMaxPool", {"float sum = -HUGE_VALF;", "sum = op_max(sum, v);", "sum"}},
      {"ReduceMin", {"float sum = HUGE_VALF;", "sum = op_min(sum, v);", "sum"}},
      {"ReduceProd", {"float sum = 1;", "sum *= v;", "sum"}}};
  const auto found = table.find(operation);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

/** Returns which dimensions a node reduces. */
Result<std::vector<bool>> reduced_dimensions(const ModelSteps& steps, const graph::Node& node,
                                             std::size_t rank) {
  std::vector<bool> reduced(rank, true);
  if (node.operation.starts_with("Global")) {
    reduced[0] = reduced[1] = false;
    return reduced;
  }
  Extents axes = graph::integers_attribute(node, "axes", {});
  if (has_input(node, 1)) axes = TRY(constant_input(steps, node, 1));
  if (axes.empty()) {
    if (graph::integer_attribute(node, "noop_with_empty_axes", 0) != 0) reduced.assign(rank, false);
    return reduced;
  }
  reduced.assign(rank, false);
  for (const std::int64_t axis : axes) reduced[axis_of(axis, rank)] = true;
  return reduced;
}

Status write_reduction(ModelSteps& steps, const graph::Node& node) {
  const graph::Value& operand = steps.value(node.inputs[0]);
  const std::size_t rank = operand.shape.size();
  TRY(check_floats(steps, node, 1));
  const Reduction reduction = *find_reduction(node.operation);
  const std::vector<bool> reduced = TRY(reduced_dimensions(steps, node, rank));
  graph::Shape kept = operand.shape;
  graph::Shape inner = operand.shape;
  for (std::size_t d = 0; d < rank; ++d) (reduced[d] ? kept : inner)[d] = 1;
  const ValueForm from = TRY(steps.first_form(node.inputs[0]));
  // Blocks of channels remain, which are plain once nothing stands beside the channels.
  const std::int64_t block =
      rank > 1 && !reduced[1] && kept.size() == steps.value(node.outputs[0]).shape.size()
          ? std::max<std::int64_t>(channel_block(from.layout), 1)
          : 1;
  loop_nest::Layout layout = blocked_channels(kept, block);
  ValueForm to = steps.scratch(operand.type, layout);
  const std::vector<TensorView> views{{.layout = layout}, {.layout = from.layout}};
  const auto outer_nests = strided_nests(kept, views);
  const auto inner_nests =
      strided_nests(inner, std::vector<TensorView>{{.layout = from.layout}, {.layout = from.layout}});
  if (!outer_nests || !inner_nests) return unsupported(node, "its layouts do not nest");
  const std::vector<LoopPointer> pointers{{c_type(to.type), steps.address(to, true)},
                                          {c_type(from.type), steps.address(from)}};
  base::CSourceText end = base::CSourceText(reduction.end);
  if (reduction.mean) end = base::write<base::CSource>("{} / {}", reduction.end, graph::element_count(inner));
  steps.add_step(about_node(node), reduction_text(*outer_nests, *inner_nests, pointers, reduction.begin,
                                                  reduction.statement, end));
  to.layout = block > 1 ? layout : loop_nest::row_major("plain", steps.value(node.outputs[0]).shape);
  steps.add_form(node.outputs[0], to);
  return {};
}

}  // namespace

WriteOperator window_operator(std::string_view operation) {
  if (operation == "MaxPool" || operation == "AveragePool") return write_pool;
  return find_reduction(operation) ? write_reduction : nullptr;
}

}  // namespace kernelscape::exchange
