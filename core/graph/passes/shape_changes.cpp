#include "core/graph/passes/shape_changes.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/graph/passes/constants.h"
#include "core/graph/passes/passes.h"

namespace kernelscape::graph::passes {
namespace {

/** Returns true for a Transpose that keeps the order of the axes whose extents are not 1. */
bool moves_only_ones(const Rewriter& rewriter, const Node& node) {
  if (node.operation != "Transpose") return false;
  const auto permutation = node.attributes.find("perm");
  if (permutation == node.attributes.end()) return false;
  const auto* axes = std::get_if<std::vector<std::int64_t>>(&permutation->second);
  if (axes == nullptr) return false;
  const Shape& shape = rewriter.value(node.inputs[0]).shape;
  std::int64_t last = -1;
  for (const std::int64_t axis : *axes) {
    if (shape[static_cast<std::size_t>(axis)] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

}  // namespace

bool changes_only_shape(const Node& node) {
  static constexpr std::array<std::string_view, 4> operations{"Reshape", "Flatten", "Squeeze", "Unsqueeze"};
  return std::ranges::find(operations, node.operation) != operations.end() && node.epilogue.empty() &&
         node.outputs.size() == 1;
}

Node reshape_node(Rewriter& rewriter, std::string name, std::size_t input, std::size_t output) {
  const Shape shape = rewriter.value(output).shape;
  const std::size_t target = add_integers(rewriter, rewriter.value(output).name + " shape", shape);
  Node node = make_node(std::move(name), "Reshape", {input, target}, {output});
  // Without it, an extent of 0 stands for the operand's extent.
  if (std::ranges::find(shape, 0) != shape.end()) node.attributes["allowzero"] = std::int64_t{1};
  return node;
}

Status merge_shape_changes(Rewriter& rewriter) {
  for (std::size_t i = 0; i < rewriter.node_count(); ++i) {
    if (!rewriter.alive(i)) continue;
    const Node& node = rewriter.node(i);
    if (moves_only_ones(rewriter, node) && node.epilogue.empty()) {
      rewriter.replace(i, reshape_node(rewriter, node.name, node.inputs[0], node.outputs[0]));
    } else if (!changes_only_shape(node)) {
      continue;
    }
    const std::size_t before = rewriter.producer(rewriter.node(i).inputs[0]);
    if (before == absent || !changes_only_shape(rewriter.node(before))) continue;
    const std::string name = rewriter.node(i).name;
    const std::size_t source = rewriter.node(before).inputs[0];
    rewriter.replace(i, reshape_node(rewriter, name, source, rewriter.node(i).outputs[0]));
  }
  return {};
}

}  // namespace kernelscape::graph::passes
