#include "core/graph/layer_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "core/base/visible_text.h"

namespace kernelscape::graph {
namespace {

std::unexpected<Error> no_layer_task(const Node& node, std::string_view why) {
  return fail(ErrorCode::Refused,
              fmt::format("{} {} is no task: {}", node.operation, base::quoted_line(node.name), why));
}

Shape trailing(const Shape& shape, std::size_t from) {
  return {shape.begin() + static_cast<std::ptrdiff_t>(from), shape.end()};
}

bool all_at_least(const Shape& values, std::int64_t least) {
  return std::ranges::all_of(values, [&](std::int64_t value) { return value >= least; });
}

Result<LayerTask> convolution_task(const Graph& graph, const Node& node) {
  const Shape& data = graph.values[node.inputs[0]].shape;
  const Shape& weight = graph.values[node.inputs[1]].shape;
  const Shape& output = graph.values[node.outputs[0]].shape;
  if (data.size() < 3 || data.size() > 5 || weight.size() != data.size())
    return no_layer_task(node, fmt::format("its input has {} dimensions", data.size()));
  const std::size_t rank = data.size() - 2;
  task::Convolution c;
  c.transposed = node.operation == "ConvTranspose";
  c.batch = data[0];
  c.input_channels = data[1];
  c.groups = integer_attribute(node, "group", 1);
  c.output_channels = output[1];
  c.input_size = trailing(data, 2);
  c.kernel = trailing(weight, 2);
  c.stride = integers_attribute(node, "strides", Shape(rank, 1));
  c.dilation = integers_attribute(node, "dilations", Shape(rank, 1));
  if (c.stride.size() != rank || c.dilation.size() != rank)
    return no_layer_task(node, "its strides or dilations are not one for each dimension");
  if (c.transposed) {
    // What the output's size leaves open is cropped, or added, at the end.
    const Shape pads = integers_attribute(node, "pads", Shape(2 * rank, 0));
    if (pads.size() != 2 * rank || text_attribute(node, "auto_pad", "NOTSET") != "NOTSET")
      return no_layer_task(node, "its padding follows from its output's shape");
    c.padding.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
    for (std::size_t d = 0; d < rank; ++d)
      c.padding_end.push_back((c.input_size[d] - 1) * c.stride[d] + c.dilation[d] * (c.kernel[d] - 1) + 1 -
                              c.padding[d] - output[d + 2]);
  } else {
    const Shape pads = resolved_padding(node, c.input_size, c.kernel, c.stride, c.dilation);
    if (pads.size() != 2 * rank || !all_at_least(pads, 0))
      return no_layer_task(node, "its padding is negative");
    c.padding.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
    c.padding_end.assign(pads.begin() + static_cast<std::ptrdiff_t>(rank), pads.end());
  }
  if (c.padding_end == c.padding) c.padding_end.clear();
  LayerTask layer{.task = TRY(task::make_convolution_task(c, {}))};
  layer.operands = {node.inputs[0], node.inputs[1]};
  layer.shapes = {data, weight, output};
  return layer;
}

Result<LayerTask> gemm_task(const Graph& graph, const Node& node) {
  const Shape& a = graph.values[node.inputs[0]].shape;
  const Shape& b = graph.values[node.inputs[1]].shape;
  task::MatrixMultiplication m;
  m.transpose_a = integer_attribute(node, "transA", 0) != 0;
  m.transpose_b = integer_attribute(node, "transB", 0) != 0;
  m.m = a[m.transpose_a ? 1 : 0];
  m.k = a[m.transpose_a ? 0 : 1];
  m.n = b[m.transpose_b ? 0 : 1];
  LayerTask layer{.task = TRY(task::make_matmul_task(m, {}))};
  layer.operands = {node.inputs[0], node.inputs[1]};
  layer.shapes = {a, b, {m.m, m.n}};
  return layer;
}

/** Returns the product of the extents before the last two. */
std::int64_t matrix_count(const Shape& shape) { return element_count({shape.begin(), shape.end() - 2}); }

Result<LayerTask> multiplication_task(const Graph& graph, const Node& node) {
  Shape a = graph.values[node.inputs[0]].shape;
  Shape b = graph.values[node.inputs[1]].shape;
  if (a.empty() || b.empty()) return no_layer_task(node, "an operand is a single number");
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  const std::size_t rank = std::max(a.size(), b.size());
  a.insert(a.begin(), rank - a.size(), 1);
  b.insert(b.begin(), rank - b.size(), 1);
  task::MatrixMultiplication m{.m = a[rank - 2], .n = b[rank - 1], .k = a[rank - 1]};
  LayerTask layer;
  if (matrix_count(b) == 1) {
    m.m *= matrix_count(a);
    layer.shapes = {Shape{m.m, m.k}, Shape{m.k, m.n}, Shape{m.m, m.n}};
  } else {
    Shape batch;
    for (std::size_t d = 0; d + 2 < rank; ++d) batch.push_back(a[d] == 1 ? b[d] : a[d]);
    m.batched = true;
    m.batch = element_count(batch);
    for (std::size_t i = 0; i < 2; ++i) {
      const Shape& operand = i == 0 ? a : b;
      if (matrix_count(operand) == m.batch) continue;
      layer.broadcast[i] = batch;
      layer.broadcast[i].insert(layer.broadcast[i].end(), operand.end() - 2, operand.end());
    }
    layer.shapes = {Shape{m.batch, m.m, m.k}, Shape{m.batch, m.k, m.n}, Shape{m.batch, m.m, m.n}};
  }
  layer.task = TRY(task::make_matmul_task(m, {}));
  layer.operands = {node.inputs[0], node.inputs[1]};
  return layer;
}

/** Adds the steps of the node's epilogue that a task can have. */
void add_epilogue(const Graph& graph, const Node& node, LayerTask& layer) {
  if (has_own_epilogue(node)) return;
  const Shape& result = layer.shapes[2];
  const bool convolution = std::holds_alternative<task::Convolution>(layer.task.definition);
  const std::int64_t channels = convolution ? result[1] : result.back();
  std::size_t operand = node.own_input_count();
  for (const task::EpilogueStep& step : node.epilogue) {
    if (layer.epilogue.size() == task::max_epilogue_steps) return;
    if (task::has_operand(step.kind)) {
      const std::size_t value = node.inputs[operand++];
      const std::int64_t count = element_count(graph.values[value].shape);
      const std::int64_t expected = step.kind == task::EpilogueKind::Add ? element_count(result) : channels;
      if (count != expected) return;
      layer.epilogue_operands.push_back(value);
    }
    layer.epilogue.push_back(step);
  }
}

Result<LayerTask> task_of_sums(const Graph& graph, const Node& node) {
  if (node.operation == "Gemm") return gemm_task(graph, node);
  return node.operation == "MatMul" ? multiplication_task(graph, node) : convolution_task(graph, node);
}

}  // namespace

bool has_own_epilogue(const Node& node) {
  if (node.operation == "Gemm" && number_attribute(node, "alpha", 1) != 1) return true;
  return node.operation != "MatMul" && node.own_input_count() > 2 && node.inputs[2] != absent;
}

bool is_layer(const Node& node) {
  return node.operation == "Conv" || node.operation == "ConvTranspose" || node.operation == "Gemm" ||
         node.operation == "MatMul";
}

Result<LayerTask> layer_task(const Graph& graph, const Node& node) {
  for (std::size_t i = 0; i < 2; ++i) {
    const ElementType type = graph.values[node.inputs[i]].type;
    if (type != ElementType::F32)
      return no_layer_task(node, fmt::format("its operands are {}", to_string(type)));
  }
  LayerTask layer = TRY(task_of_sums(graph, node));
  add_epilogue(graph, node, layer);
  return layer;
}

std::vector<std::int64_t> resolved_padding(const Node& node, const std::vector<std::int64_t>& sizes,
                                           const std::vector<std::int64_t>& window,
                                           const std::vector<std::int64_t>& strides,
                                           const std::vector<std::int64_t>& dilations) {
  const std::size_t rank = sizes.size();
  const std::string automatic = text_attribute(node, "auto_pad", "NOTSET");
  if (automatic == "NOTSET" || automatic.empty()) return integers_attribute(node, "pads", Shape(2 * rank, 0));
  Shape pads(2 * rank, 0);
  if (automatic == "VALID") return pads;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t outputs = (sizes[d] + strides[d] - 1) / strides[d];
    const std::int64_t reach = (outputs - 1) * strides[d] + dilations[d] * (window[d] - 1) + 1;
    const std::int64_t total = std::max<std::int64_t>(reach - sizes[d], 0);
    const std::int64_t less = total / 2;
    pads[d] = automatic == "SAME_LOWER" ? total - less : less;
    pads[d + rank] = total - pads[d];
  }
  return pads;
}

}  // namespace kernelscape::graph
