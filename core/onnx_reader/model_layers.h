#pragma once

#include <onnx/onnx_pb.h>

#include <optional>

#include "core/base/result.h"
#include "core/onnx_reader/layer_sums.h"
#include "core/onnx_reader/model_shapes.h"
#include "core/task/task.h"

namespace kernelscape::onnx_reader {

/**
 * Returns true if the node's operator can become a task: Conv, ConvTranspose, Gemm, MatMul, an Einsum that
 * multiplies and sums, their int8 variants QLinearConv, ConvInteger, QLinearMatMul, MatMulInteger, and the
 * fused and channels-last forms of com.microsoft.
 */
bool may_be_layer(const onnx::NodeProto& node);

/**
 * Returns true if the node's operator has int8 operands that represent other numbers by scales and zero
 * points.
 */
bool is_quantised(const onnx::NodeProto& node);

/** A node that is a task. */
struct NodeLayer {
  task::Task task;
  LayerSums sums;
  bool quantised = false;  ///< int8 values represent other numbers
};

/**
 * Returns the task that a node computes, without the operations around its sums: bias, alpha and beta, zero
 * points, scales and rounding. Errors name the input or attribute that prevents a task.
 */
Result<NodeLayer> layer_task(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                             const ModelShapes& shapes);

/** Why an operator that is not a layer contains convolutions or multiplications, and their FLOPs. */
struct HiddenSums {
  std::string reason;
  double flops = 0;  ///< 0: unknown
};

/**
 * Returns the convolutions and multiplications of an operator that is not read as a layer; nullopt if the
 * operator is known to contain none, or if it is unknown.
 */
std::optional<HiddenSums> hidden_sums(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                                      const ModelShapes& shapes);

/** Returns the same for operators that never become tasks. */
std::optional<HiddenSums> unread_sums(const onnx::NodeProto& node, const ModelShapes& shapes);

/** Returns the FLOPs of a node that may be a layer, for any types; 0: unknown. */
double layer_flops(const onnx::GraphProto& graph, const onnx::NodeProto& node, const ModelShapes& shapes);

}  // namespace kernelscape::onnx_reader
