#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/graph/passes/constants.h"
#include "core/graph/passes/passes.h"

namespace kernelscape::graph::passes {
namespace {

/** Zeros around the spatial axes of a tensor. */
struct SpatialPadding {
  std::size_t operand = absent;
  std::vector<std::int64_t> pads;  ///< as attribute `pads` of a convolution: begins, then ends
};

/** Returns what a Pad writes if it writes zeros around the spatial axes only. */
Result<std::optional<SpatialPadding>> match_padding(const Rewriter& rewriter, std::size_t value) {
  const std::optional<SpatialPadding> none;
  const std::size_t number = rewriter.producer(value, "Pad");
  if (number == absent) return none;
  const Node& node = rewriter.node(number);
  if (text_attribute(node, "mode", "constant") != "constant") return none;
  if (node.inputs.size() > 2 && node.inputs[2] != absent &&
      TRY(scalar_constant(rewriter, node.inputs[2])) != 0.0)
    return none;
  const auto pads = TRY(integers_of(rewriter, node, "pads", 1));
  if (!pads) return none;
  const std::size_t rank = rewriter.value(node.inputs[0]).shape.size();
  std::vector<std::int64_t> axes;
  for (std::size_t axis = 0; axis < rank; ++axis) axes.push_back(static_cast<std::int64_t>(axis));
  if (node.inputs.size() > 3 && node.inputs[3] != absent) {
    const auto given = TRY(integers_of(rewriter, node, "", 3));
    if (!given) return none;
    axes = *given;
    for (std::int64_t& axis : axes)
      if (axis < 0) axis += static_cast<std::int64_t>(rank);
  }
  if (rank < 3 || pads->size() != 2 * axes.size()) return none;
  SpatialPadding result{.operand = node.inputs[0], .pads = std::vector<std::int64_t>(2 * (rank - 2), 0)};
  for (std::size_t i = 0; i < pads->size(); ++i) {
    const std::int64_t axis = axes[i % axes.size()];
    if ((*pads)[i] == 0) continue;
    if ((*pads)[i] < 0 || axis < 2 || axis >= static_cast<std::int64_t>(rank)) return none;
    result.pads[static_cast<std::size_t>(axis) - 2 + (i < axes.size() ? 0 : rank - 2)] += (*pads)[i];
  }
  return std::optional(std::move(result));
}

/** Returns true if no element of a value is negative because of the operator that writes it. */
Result<bool> is_never_negative(const Rewriter& rewriter, std::size_t value) {
  for (const std::string_view operation : {"Relu", "Sigmoid", "HardSigmoid", "Softmax"})
    if (rewriter.producer(value, operation) != absent) return true;
  const std::size_t clip = rewriter.producer(value, "Clip");
  if (clip == absent || rewriter.node(clip).inputs.size() < 2) return false;
  const Node& node = rewriter.node(clip);
  const std::optional<double> minimum = TRY(scalar_constant(rewriter, node.inputs[1]));
  if (!minimum || !(*minimum >= 0)) return false;
  if (node.inputs.size() < 3 || node.inputs[2] == absent) return true;
  // An upper bound below the lower one is the result.
  const std::optional<double> maximum = TRY(scalar_constant(rewriter, node.inputs[2]));
  return maximum && *maximum >= 0;
}

/**
 * Returns true if each window of a MaxPool has an element of the operand: a window of padding only has the
 * result -infinity, not 0.
 */
bool windows_reach_operand(const Node& node, const std::vector<std::int64_t>& pads) {
  const std::vector<std::int64_t> window = integers_attribute(node, "kernel_shape", {});
  const std::vector<std::int64_t> dilations =
      integers_attribute(node, "dilations", std::vector<std::int64_t>(window.size(), 1));
  if (pads.size() != 2 * window.size()) return false;
  for (std::size_t i = 0; i < window.size(); ++i)
    if (dilations[i] != 1 || pads[i] >= window[i] || pads[i + window.size()] >= window[i]) return false;
  return true;
}

/** Returns true if an operator can take zeros around its operand into its own padding, `pads` in all. */
Result<bool> can_take(const Rewriter& rewriter, const Node& node, const SpatialPadding& padding,
                      bool pads_itself, const std::vector<std::int64_t>& pads) {
  if (node.operation == "Conv") return true;
  if (integer_attribute(node, "ceil_mode", 0) != 0) return false;
  if (node.operation == "MaxPool")
    return node.outputs.size() == 1 && windows_reach_operand(node, pads) &&
           TRY(is_never_negative(rewriter, padding.operand));
  return node.operation == "AveragePool" && windows_reach_operand(node, pads) &&
         (!pads_itself || integer_attribute(node, "count_include_pad", 0) != 0);
}

Status take_padding(Rewriter& rewriter, std::size_t number) {
  static constexpr std::array<std::string_view, 3> operations{"Conv", "MaxPool", "AveragePool"};
  Node node = rewriter.node(number);
  if (std::ranges::find(operations, node.operation) == operations.end() || !node.epilogue.empty()) return {};
  const std::string automatic = text_attribute(node, "auto_pad", "NOTSET");
  if (automatic != "NOTSET" && automatic != "VALID") return {};
  const auto padding = TRY(match_padding(rewriter, node.inputs[0]));
  if (!padding) return {};
  std::vector<std::int64_t> pads(padding->pads.size(), 0);
  if (automatic == "NOTSET") pads = integers_attribute(node, "pads", std::move(pads));
  if (pads.size() != padding->pads.size()) return {};
  const bool pads_itself = std::ranges::any_of(pads, [](std::int64_t pad) { return pad != 0; });
  for (std::size_t i = 0; i < pads.size(); ++i) pads[i] += padding->pads[i];
  if (!TRY(can_take(rewriter, node, *padding, pads_itself, pads))) return {};
  node.attributes.erase("auto_pad");
  node.attributes["pads"] = pads;
  if (node.operation == "AveragePool") node.attributes["count_include_pad"] = std::int64_t{1};
  const std::size_t padded = std::exchange(node.inputs[0], padding->operand);
  rewriter.replace(number, std::move(node));
  rewriter.remove_unread({padded}, number);
  return {};
}

}  // namespace

Status merge_padding(Rewriter& rewriter) {
  for (std::size_t i = 0; i < rewriter.node_count(); ++i)
    if (rewriter.alive(i)) TRY(take_padding(rewriter, i));
  return {};
}

}  // namespace kernelscape::graph::passes
