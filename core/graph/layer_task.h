#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/task/task.h"

namespace kernelscape::graph {

/** The task that computes a node's sums, and how the node's values become the task's tensors. */
struct LayerTask {
  task::Task task;
  std::array<std::size_t, 2> operands{};  ///< values of the graph: the task's first and second input
  /// shapes of the task's inputs and output; the values have the same elements in row-major order, except
  /// for an operand that has to be repeated: its matrices are fewer than those of the task
  std::array<Shape, 3> shapes{};
  std::array<Shape, 2> broadcast{};  ///< shape to which an operand is broadcast first; empty: it is not
  /**
   * The first steps of the node's epilogue that a kernel of the task can apply to its sums. What remains is
   * applied to the task's output: the rest of the epilogue, and the operator's own bias and factors, which
   * come before all steps.
   */
  std::vector<task::EpilogueStep> epilogue{};
  std::vector<std::size_t> epilogue_operands{};  ///< values of the graph: of the steps that have one
};

/** Returns true if the operator is one whose sums a task computes: Conv, ConvTranspose, Gemm, MatMul. */
bool is_layer(const Node& node);

/** Returns true if the operator itself adds a tensor to its sums, or multiplies them by a factor. */
bool has_own_epilogue(const Node& node);

/**
 * Returns the task of a layer without its epilogue: the same text as for the layer of the network that is
 * read from the model, so that sessions of that network are found. Refused, with the reason, for types other
 * than f32 and for paddings that no task has.
 */
Result<LayerTask> layer_task(const Graph& graph, const Node& node);

/**
 * Returns the padding of a convolution or of a pooling before the first and after the last element, all
 * begins first, with auto_pad resolved.
 * @param sizes of the input, without images and channels
 */
std::vector<std::int64_t> resolved_padding(const Node& node, const std::vector<std::int64_t>& sizes,
                                           const std::vector<std::int64_t>& window,
                                           const std::vector<std::int64_t>& strides,
                                           const std::vector<std::int64_t>& dilations);

}  // namespace kernelscape::graph
