#pragma once

#include <onnx/onnx_pb.h>

#include <optional>

#include "core/base/result.h"
#include "core/onnx/layer_sums.h"
#include "core/onnx/model_shapes.h"
#include "core/task/task.h"

namespace kernelscape {

/**
 * Returns true if tasks can be made of the node's operator: Conv, ConvTranspose, Gemm, MatMul, Einsum that
 * multiplies and sums, their int8 forms QLinearConv, ConvInteger, QLinearMatMul, MatMulInteger, and the fused
 * and channels-last forms of com.microsoft.
 */
bool may_be_layer(const onnx::NodeProto& node);

/** Returns true if the node's operator has int8 operands that stand for other numbers, by scales and zero
 * points.
 */
bool is_quantised(const onnx::NodeProto& node);

/** A node that is a task. */
struct NodeLayer {
  Task task;
  LayerSums sums;
  bool quantised = false;  ///< int8 that stands for other numbers
};

/**
 * The task that a node computes, without what stands around its sums: bias, alpha and beta, zero points,
 * scales and rounding. Errors say which of its inputs or attributes is why there is none.
 */
Result<NodeLayer> layer_task(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                             const ModelShapes& shapes);

/** Why an operator that is no layer holds convolutions or multiplications, and how many FLOPs they are. */
struct HiddenSums {
  std::string reason;
  double flops = 0;  ///< 0: not known
};

/** Returns what an operator holds that is not read as a layer; nullopt if it is known to hold nothing, or if
 * nothing is known of it. */
std::optional<HiddenSums> hidden_sums(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                                      const ModelShapes& shapes);

/** Does the same for operators that tasks are never made of. */
std::optional<HiddenSums> unread_sums(const onnx::NodeProto& node, const ModelShapes& shapes);

/** Returns the FLOPs of a node that may be a layer, whatever its types; 0: not known. */
double layer_flops(const onnx::GraphProto& graph, const onnx::NodeProto& node, const ModelShapes& shapes);

}  // namespace kernelscape
