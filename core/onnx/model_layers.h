#pragma once

#include <onnx/onnx_pb.h>

#include "core/base/result.h"
#include "core/onnx/model_shapes.h"
#include "core/task/task.h"

namespace kernelscape {

/** Whether the node's operator is one that tasks can be made of: Conv, ConvTranspose, Gemm, MatMul, and of
 * bytes QLinearConv, ConvInteger, QLinearMatMul, MatMulInteger. */
bool may_be_layer(const onnx::NodeProto& node);

/** Whether such a node computes with bytes that stand for other numbers, by scales and zero points. */
bool is_quantised(const onnx::NodeProto& node);

/** The number of the input that has the weights, or the second matrix, of such a node. */
int weight_input(const onnx::NodeProto& node);

/**
 * The task that a node computes, without what stands around its sums: bias, alpha and beta, zero points,
 * scales and rounding. Errors say which of its inputs or attributes is why there is none.
 */
Result<Task> layer_task(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                        const ModelShapes& shapes);

}  // namespace kernelscape
