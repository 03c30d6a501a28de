#include "core/graph/passes/reduction.h"

#include "core/graph/passes/constants.h"

namespace kernelscape::graph::passes {

Result<std::optional<Reduction>> match_reduction(const Rewriter& rewriter, std::size_t value,
                                                 std::string_view operation) {
  const std::optional<Reduction> none;
  const std::size_t number = rewriter.producer(value, operation);
  if (number == absent) return none;
  const Node& node = rewriter.node(number);
  Reduction result;
  result.node = number;
  result.operand = node.inputs[0];
  result.keeps_axes = integer_attribute(node, "keepdims", 1) != 0;
  const std::size_t rank = rewriter.value(result.operand).shape.size();
  const auto axes = TRY(integers_of(rewriter, node, "axes", 1));
  if (!axes && node.inputs.size() > 1 && node.inputs[1] != absent) return none;
  if (axes && !axes->empty()) {
    result.axes = positive_axes(*axes, rank);
  } else {
    if (integer_attribute(node, "noop_with_empty_axes", 0) != 0) return none;
    for (std::size_t axis = 0; axis < rank; ++axis) result.axes.push_back(axis);
  }
  return std::optional(std::move(result));
}

}  // namespace kernelscape::graph::passes
