#include "core/graph/passes/layers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/graph/passes/constants.h"

namespace kernelscape::graph::passes {
namespace {

using MaybeScale = Result<std::optional<ChannelScale>>;

/** The parameters of a BatchNormalization as one factor and one shift per channel. */
MaybeScale match_batch_normalization(const Rewriter& rewriter, const Node& node) {
  const std::optional<ChannelScale> none;
  const bool has_more_outputs = std::ranges::any_of(node.outputs.begin() + 1, node.outputs.end(),
                                                    [](std::size_t output) { return output != absent; });
  if (has_more_outputs || integer_attribute(node, "training_mode", 0) != 0) return none;
  std::array<std::vector<double>, 4> parameters;
  for (std::size_t i = 0; i < 4; ++i) {
    if (!rewriter.is_constant(node.inputs[i + 1])) return none;
    parameters[i] = TRY(constant_doubles(rewriter.value(node.inputs[i + 1])));
  }
  auto& [factors, shifts, means, variances] = parameters;
  const double epsilon = number_attribute(node, "epsilon", 1e-5);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    factors[i] /= std::sqrt(variances[i] + epsilon);
    shifts[i] -= means[i] * factors[i];
  }
  return std::optional(ChannelScale{std::move(factors), std::move(shifts)});
}

MaybeScale match_arithmetic(const Rewriter& rewriter, const Node& node, std::size_t value, std::size_t axis) {
  const std::optional<ChannelScale> none;
  if (node.inputs.size() != 2 || node.inputs[0] == node.inputs[1]) return none;
  const bool value_first = node.inputs[0] == value;
  const auto operand =
      TRY(vector_constant(rewriter, node.inputs[value_first ? 1 : 0], rewriter.value(value).shape, axis));
  if (!operand) return none;
  ChannelScale scale{std::vector<double>(operand->size(), 1), std::vector<double>(operand->size(), 0)};
  if (node.operation == "Add") {
    scale.shifts = *operand;
  } else if (node.operation == "Mul") {
    scale.factors = *operand;
  } else if (node.operation == "Sub") {
    scale.shifts = *operand;
    for (double& number : value_first ? scale.shifts : scale.factors) number = -number;
  } else if (node.operation == "Div" && value_first) {
    std::ranges::transform(*operand, scale.factors.begin(), [](double divisor) { return 1 / divisor; });
  } else {
    return none;
  }
  return std::optional(std::move(scale));
}

bool all_finite(const ChannelScale& scale) {
  const auto finite = [](double number) { return std::isfinite(number); };
  return std::ranges::all_of(scale.factors, finite) && std::ranges::all_of(scale.shifts, finite);
}

}  // namespace

std::optional<std::size_t> channel_axis(const Rewriter& rewriter, const Node& node) {
  if (node.outputs.size() != 1 || node.inputs.size() < 2) return std::nullopt;
  const Value& output = rewriter.value(node.outputs[0]);
  if (!is_floating(output.type)) return std::nullopt;
  if (node.operation == "Conv" || node.operation == "ConvTranspose") return 1;
  if (node.operation != "Gemm" && node.operation != "MatMul") return std::nullopt;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    if (rewriter.value(node.inputs[i]).shape.size() < 2) return std::nullopt;
  return output.shape.size() - 1;
}

MaybeScale match_channel_scale(const Rewriter& rewriter, const Node& node, std::size_t value,
                               std::size_t axis) {
  if (!node.epilogue.empty() || node.outputs.empty() || node.outputs[0] == absent)
    return std::optional<ChannelScale>{};
  const Value& operand = rewriter.value(value);
  const Value& result = rewriter.value(node.outputs[0]);
  if (result.shape != operand.shape || result.type != operand.type) return std::optional<ChannelScale>{};
  std::optional<ChannelScale> scale;
  if (node.operation != "BatchNormalization") {
    scale = TRY(match_arithmetic(rewriter, node, value, axis));
  } else if (axis == 1 && node.inputs[0] == value) {
    scale = TRY(match_batch_normalization(rewriter, node));
  }
  if (scale && !all_finite(*scale)) scale.reset();
  return scale;
}

}  // namespace kernelscape::graph::passes
