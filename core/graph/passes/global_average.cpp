#include <algorithm>
#include <utility>
#include <vector>

#include "core/graph/passes/constants.h"
#include "core/graph/passes/passes.h"
#include "core/graph/passes/reduction.h"
#include "core/graph/passes/shape_changes.h"

namespace kernelscape::graph::passes {
namespace {

/** Returns true if axes are all those after the batch and the channels. */
bool are_spatial(const std::vector<std::size_t>& axes, std::size_t rank) {
  return rank > 2 && axes.size() == rank - 2 && axes.front() == 2 && axes.back() == rank - 1;
}

/** Returns true for an AveragePool with one window, which covers the operand exactly. */
bool averages_everything(const Rewriter& rewriter, const Node& node) {
  if (node.operation != "AveragePool" || !node.epilogue.empty()) return false;
  const Shape& shape = rewriter.value(node.inputs[0]).shape;
  const std::vector<std::int64_t> window = integers_attribute(node, "kernel_shape", {});
  const std::vector<std::int64_t> pads = integers_attribute(node, "pads", {});
  const std::vector<std::int64_t> dilations = integers_attribute(node, "dilations", {});
  return shape.size() == window.size() + 2 && std::equal(window.begin(), window.end(), shape.begin() + 2) &&
         std::ranges::all_of(pads, [](std::int64_t pad) { return pad == 0; }) &&
         std::ranges::all_of(dilations, [](std::int64_t dilation) { return dilation == 1; }) &&
         element_count(rewriter.value(node.outputs[0]).shape) == shape[0] * shape[1];
}

Node global_average_node(std::string name, std::size_t operand, std::size_t output) {
  return make_node(std::move(name), "GlobalAveragePool", {operand}, {output});
}

}  // namespace

Status recognise_global_average(Rewriter& rewriter) {
  const std::size_t count = rewriter.node_count();
  for (std::size_t i = 0; i < count; ++i) {
    if (!rewriter.alive(i) || rewriter.node(i).outputs.empty()) continue;
    const std::string name = rewriter.node(i).name;
    const std::size_t output = rewriter.node(i).outputs[0];
    if (averages_everything(rewriter, rewriter.node(i))) {
      rewriter.replace(i, global_average_node(name, rewriter.node(i).inputs[0], output));
      continue;
    }
    const auto mean = TRY(match_reduction(rewriter, output, "ReduceMean"));
    if (!mean) continue;
    const Value operand = rewriter.value(mean->operand);
    if (!is_floating(operand.type) || !are_spatial(mean->axes, operand.shape.size())) continue;
    if (mean->keeps_axes) {
      rewriter.replace(i, global_average_node(name, mean->operand, output));
      continue;
    }
    Shape averaged(operand.shape.size(), 1);
    std::copy_n(operand.shape.begin(), 2, averaged.begin());
    const std::size_t pooled =
        rewriter.add_value(rewriter.value(output).name + " pooled", operand.type, std::move(averaged));
    rewriter.replace(i, reshape_node(rewriter, name + " shape", pooled, output));
    rewriter.add(global_average_node(name, mean->operand, pooled), i);
  }
  return {};
}

}  // namespace kernelscape::graph::passes
