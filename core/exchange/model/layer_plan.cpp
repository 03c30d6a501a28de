#include "core/exchange/model/layer_plan.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/exchange/model/operators.h"
#include "core/exchange/model/strided_loops.h"

namespace kernelscape::exchange {
namespace {

using loop_nest::Layout;

/** Layouts that readers of a value want, with the elements that a conversion would move for them. */
using Votes = std::vector<std::pair<Layout, std::int64_t>>;

bool changes_only_shape(std::string_view operation) {
  static const std::set<std::string_view> operations{"Reshape",   "Flatten",  "Squeeze",
                                                     "Unsqueeze", "Identity", "Dropout"};
  return operations.contains(operation);
}

/** Returns true if the operator can read and write channels in blocks. */
bool keeps_blocks(std::string_view operation) {
  static const std::set<std::string_view> operations{
      "Concat", "Split", "Slice", "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool"};
  return operations.contains(operation) || elementwise_operator(operation) != nullptr ||
         quantisation_operator(operation) != nullptr;
}

/** Finds the preferred layouts of a graph's values, from its last node to its first. */
class Preferences {
 public:
  Preferences(const graph::Graph& graph, const KernelChoice& kernels,
              const std::vector<std::optional<PlannedLayer>>& layers)
      : graph_(graph), kernels_(kernels), layers_(layers), votes_(graph.values.size()) {}

  std::vector<std::optional<Layout>> find() {
    for (const std::size_t output : graph_.outputs)
      vote(output, loop_nest::row_major("plain", graph_.values[output].shape));
    for (std::size_t i = graph_.nodes.size(); i-- > 0;) {
      const graph::Node& node = graph_.nodes[i];
      if (layers_[i])
        vote_for_layer(node, *layers_[i]);
      else if (node.outputs[0] != graph::absent)
        vote_for_operands(node);
    }
    std::vector<std::optional<Layout>> preferred;
    for (std::size_t value = 0; value < votes_.size(); ++value) preferred.push_back(winner(value));
    return preferred;
  }

 private:
  void vote(std::size_t value, std::optional<Layout> layout) {
    if (!layout || value == graph::absent || graph_.values[value].constant) return;
    const std::int64_t elements = graph::element_count(graph_.values[value].shape);
    const auto known = std::ranges::find_if(
        votes_[value], [&](const auto& voted) { return same_order(voted.first, *layout); });
    if (known != votes_[value].end())
      known->second += elements;
    else
      votes_[value].emplace_back(std::move(*layout), elements);
  }

  std::optional<Layout> winner(std::size_t value) const {
    const auto most = std::ranges::max_element(votes_[value], {}, &Votes::value_type::second);
    return most == votes_[value].end() ? std::nullopt : std::optional(most->first);
  }

  void vote_for_layer(const graph::Node& node, const PlannedLayer& planned) {
    const std::vector<codegen::KernelArgument>& arguments =
        kernels_.kernels()[planned.kernel].source.arguments;
    const auto vote_as = [&](std::size_t value, const Layout& layout) {
      vote(value, reshaped(layout, graph_.values[value].shape));
    };
    for (std::size_t i = 0; i < 2; ++i)
      if (planned.layer.broadcast[i].empty()) vote_as(planned.layer.operands[i], arguments[i].layout);
    for (std::size_t i = 3; i < arguments.size(); ++i)
      vote_as(planned.layer.epilogue_operands[i - 3], arguments[i].layout);
    // The loop over the result, which has no gaps, reads what the kernel does not add.
    if (has_gaps(arguments[2].layout)) return;
    for (std::size_t i = node.own_input_count() + arguments.size() - 3; i < node.inputs.size(); ++i)
      if (graph_.values[node.inputs[i]].shape == graph_.values[node.outputs[0]].shape)
        vote_as(node.inputs[i], arguments[2].layout);
  }

  void vote_for_operands(const graph::Node& node) {
    const std::size_t output = node.outputs[0];
    const std::optional<Layout> wanted = winner(output);
    if (!wanted) return;
    const graph::Shape& result = graph_.values[output].shape;
    if (changes_only_shape(node.operation)) return vote(node.inputs[0], viewed(*wanted, node.inputs[0]));
    if (!keeps_blocks(node.operation)) return;
    const std::int64_t block = channel_block(*wanted);
    for (const std::size_t input : node.inputs) {
      if (input == graph::absent) continue;
      const graph::Shape& shape = graph_.values[input].shape;
      if (shape == result && !has_gaps(*wanted))
        vote(input, wanted);
      else if (block > 0 && shape.size() == result.size() && shape.size() > 1 && shape[1] % block == 0)
        vote(input, blocked_channels(shape, block));
    }
  }

  /**
   * Returns a layout for an operand of another shape; nullopt if the operand would have no blocks of
   * channels, unless it is a transposition, which writes any layout.
   */
  std::optional<Layout> viewed(const Layout& wanted, std::size_t operand) const {
    std::optional<Layout> layout = reshaped(wanted, graph_.values[operand].shape);
    if (!layout || channel_block(*layout) > 0) return layout;
    const bool transposed = std::ranges::any_of(graph_.nodes, [&](const graph::Node& node) {
      return node.operation == "Transpose" && node.outputs[0] == operand;
    });
    return transposed ? layout : std::nullopt;
  }

  const graph::Graph& graph_;
  const KernelChoice& kernels_;
  const std::vector<std::optional<PlannedLayer>>& layers_;
  std::vector<Votes> votes_;  ///< by value
};

Result<PlannedLayer> plan_layer(const graph::Graph& graph, const graph::Node& node, KernelChoice& kernels) {
  PlannedLayer planned{.layer = TRY(graph::layer_task(graph, node))};
  const bool computed_weights = !graph.values[planned.layer.operands[1]].constant;
  Result<FusedKernel> kernel =
      kernels.kernel_of(planned.layer.task, planned.layer.epilogue, computed_weights);
  if (!kernel && !planned.layer.epilogue.empty())
    kernel = kernels.kernel_of(planned.layer.task, {}, computed_weights);
  if (!kernel) return unsupported(node, describe(kernel.error()));
  planned.kernel = kernel->number;
  planned.fused = kernel->steps;
  return planned;
}

}  // namespace

Result<LayerPlan> plan_layers(const graph::Graph& graph, KernelChoice& kernels) {
  LayerPlan plan;
  for (const graph::Node& node : graph.nodes) {
    plan.layers.emplace_back();
    if (graph::is_layer(node)) plan.layers.back() = TRY(plan_layer(graph, node, kernels));
  }
  plan.preferred = Preferences(graph, kernels, plan.layers).find();
  return plan;
}

}  // namespace kernelscape::exchange
