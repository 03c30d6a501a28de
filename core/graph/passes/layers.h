#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/graph/passes/rewriter.h"

namespace kernelscape::graph::passes {

/** A multiplication of each channel by a factor, followed by an addition. */
struct ChannelScale {
  std::vector<double> factors;
  std::vector<double> shifts;
};

/**
 * Returns the axis of the output's channels of Conv and ConvTranspose (1), and of Gemm and MatMul of tensors
 * of at least two axes (the last), with one output of a floating-point type; nullopt for other nodes.
 */
std::optional<std::size_t> channel_axis(const Rewriter& rewriter, const Node& node);

/**
 * Returns what a node does to its operand `value` if that is a BatchNormalization, or an Add, Sub, Mul or Div
 * by a constant, and depends only on the channel along an axis; else nullopt.
 */
Result<std::optional<ChannelScale>> match_channel_scale(const Rewriter& rewriter, const Node& node,
                                                        std::size_t value, std::size_t axis);

}  // namespace kernelscape::graph::passes
