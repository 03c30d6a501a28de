#include <optional>
#include <utility>
#include <vector>

#include "core/graph/passes/constants.h"
#include "core/graph/passes/passes.h"
#include "core/graph/passes/reduction.h"

namespace kernelscape::graph::passes {
namespace {

/** Returns x if a value is x - max(x) over the axes of a reduction; else the value itself. */
Result<std::size_t> without_maximum(const Rewriter& rewriter, std::size_t value, const Reduction& sum) {
  const std::size_t subtraction = rewriter.producer(value, "Sub");
  if (subtraction == absent) return value;
  const std::size_t operand = rewriter.node(subtraction).inputs[0];
  const auto maximum = TRY(match_reduction(rewriter, rewriter.node(subtraction).inputs[1], "ReduceMax"));
  const bool matches =
      maximum && maximum->operand == operand && maximum->axes == sum.axes && maximum->keeps_axes;
  return matches ? operand : value;
}

}  // namespace

Status recognise_softmax(Rewriter& rewriter) {
  for (std::size_t i = 0; i < rewriter.node_count(); ++i) {
    if (!rewriter.alive(i)) continue;
    const Node& quotient = rewriter.node(i);
    if (quotient.operation != "Div" || !quotient.epilogue.empty()) continue;
    const std::size_t exponential = rewriter.producer(quotient.inputs[0], "Exp");
    const auto sum = TRY(match_reduction(rewriter, quotient.inputs[1], "ReduceSum"));
    if (exponential == absent || !sum || sum->operand != quotient.inputs[0]) continue;
    if (sum->axes.size() != 1 || !sum->keeps_axes) continue;
    const std::size_t operand = TRY(without_maximum(rewriter, rewriter.node(exponential).inputs[0], *sum));
    Node softmax = make_node(quotient.name, "Softmax", {operand}, quotient.outputs);
    softmax.attributes["axis"] = static_cast<std::int64_t>(sum->axes.front());
    const std::vector<std::size_t> operands = quotient.inputs;
    rewriter.replace(i, std::move(softmax));
    rewriter.remove_unread(operands, i);
  }
  return {};
}

}  // namespace kernelscape::graph::passes
