#pragma once

#include <onnx/onnx_pb.h>

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/onnx/model_shapes.h"
#include "core/task/task.h"

namespace kernelscape {

/** The sums that a node computes, before it is known of which types. */
struct LayerSums {
  std::variant<Convolution, MatrixMultiplication> definition = {};
  int first = 0;  ///< the input that is the task's first operand
  int second = 1;
  /** The axes of the operands that are not summed: a scale for each element along one can be taken out. */
  std::array<std::vector<std::int64_t>, 2> free_axes = {};
  std::vector<std::int64_t> added = {};  ///< to each dimension of a transposed convolution's result
  bool repeated = false;                 ///< an operand is the same for several matrices of a batch
  bool reordered = false;                ///< the node reads or writes in another order of dimensions
};

/** Reads the sums of a Conv or ConvTranspose, or of a form of com.microsoft. InvalidArgument says which input
 * or attribute is wrong. */
Result<LayerSums> convolution_sums(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                                   const ModelShapes& shapes);
/** Returns true for a convolution of com.microsoft whose data has the channels in its last dimension. */
bool has_channels_last(const onnx::NodeProto& node);
/** Reads the sums of a Gemm, with the same errors. */
Result<LayerSums> gemm_sums(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                            const ModelShapes& shapes);
/** Reads the sums of a MatMul with broadcast batches, with the same errors. */
Result<LayerSums> matmul_sums(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                              const ModelShapes& shapes);
/** Reads the sums of an Einsum that is a batched multiplication of matrices, with the same errors. */
Result<LayerSums> einsum_sums(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                              const ModelShapes& shapes);

/** An error that says why a node is no task. */
std::unexpected<Error> no_task(std::string reason);

/** Returns the shape of an input. InvalidArgument if it is not known, or has a dimension of length 0. */
Result<std::vector<std::int64_t>> input_shape(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                                              const ModelShapes& shapes, int number);

/** The number of the input that has the weights, or the second matrix, of a node that may be a layer. */
int weight_input(const onnx::NodeProto& node);

/** The types of a layer. */
struct LayerTypes {
  OperandTypes types;
  bool quantised = false;  ///< int8 that stands for other numbers, by scales and zero points
};

/**
 * Returns the types in which a node sums. Operands that DequantizeLinear gives are int8, if their scales can
 * be taken out of the sums. InvalidArgument if no tasks have these types.
 */
Result<LayerTypes> layer_types(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                               const ModelShapes& shapes, const LayerSums& sums);

}  // namespace kernelscape
