#pragma once

#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/graph/passes/rewriter.h"

namespace kernelscape::graph::passes {

/** A pass over a graph. Afterwards the graph is valid once sorted, and computes the same outputs. */
struct Pass {
  std::string_view name;
  Status (*run)(Rewriter& rewriter);
};

/** Returns the passes that simplify a graph; they are repeated in this order until none changes anything. */
std::span<const Pass> simplifying_passes();
/** Returns the passes that run once after the others, since they leave forms that the others do not know. */
std::span<const Pass> fusing_passes();

/** Removes nodes whose results nobody needs. */
Status remove_dead_nodes(Rewriter& rewriter);
/**
 * Computes nodes whose operands are constants, and the results of Shape. Leaves results that take much more
 * memory than their operands, and DequantizeLinear, which marks a quantised layer's weights.
 */
Status fold_constants(Rewriter& rewriter);
/** Removes operators that return their operand: Identity, Dropout, a Pad by nothing, additions of 0, ... */
Status remove_no_operations(Rewriter& rewriter);
/** Makes chains of operators that only change the shape one Reshape; a Transpose that moves extents of 1 is
 * one. */
Status merge_shape_changes(Rewriter& rewriter);
/** Computes equal expressions once. */
Status merge_common_expressions(Rewriter& rewriter);
/**
 * Recognises activations that were exported as several elementwise operators by their values at sample
 * points: Gelu in both forms, HardSwish, HardSigmoid, Sigmoid, Relu. A Clip or Max alone may become Relu.
 */
Status recognise_activations(Rewriter& rewriter);
/** Recognises LayerNormalization that was exported as means, differences and a root. */
Status recognise_layer_normalization(Rewriter& rewriter);
/** Recognises Softmax that was exported as exponentials divided by their sum. */
Status recognise_softmax(Rewriter& rewriter);
/** Turns a mean, or an AveragePool, over all spatial axes into GlobalAveragePool. */
Status recognise_global_average(Rewriter& rewriter);
/** Cancels transposes, moves them through elementwise operators, and folds them into multiplications. */
Status remove_transposes(Rewriter& rewriter);
/** Moves zeros that a Pad writes around its operand into the padding of convolutions and pools. */
Status merge_padding(Rewriter& rewriter);
/** Multiplies BatchNormalization, and scales and shifts by channel, into the weights of the layer before. */
Status fold_scales_into_weights(Rewriter& rewriter);
/** Appends bias, activations and residual additions to the epilogue of the layer before. */
Status fuse_epilogues(Rewriter& rewriter);

}  // namespace kernelscape::graph::passes
