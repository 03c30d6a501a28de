#pragma once

#include <onnx/onnx_pb.h>

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/onnx_reader/model_shapes.h"
#include "core/task/task.h"

namespace kernelscape::onnx_reader {

/** The sums that a node computes, without their types. */
struct LayerSums {
  std::variant<task::Convolution, task::MatrixMultiplication> definition = {};
  int first = 0;  ///< the input that becomes the task's first operand
  int second = 1;
  /**
   * The axes of the operands that are not summed: scales along such an axis can be applied after the sums.
   */
  std::array<std::vector<std::int64_t>, 2> free_axes = {};
  std::vector<std::int64_t> added = {};  ///< extents added to each dimension of a transposed convolution's
                                         ///< result
  bool repeated = false;                 ///< an operand is the same for several matrices of a batch
  bool reordered = false;                ///< the node reads or writes a different order of dimensions
};

/** Reads the sums of a Conv or ConvTranspose, or of a form of com.microsoft. InvalidArgument says which input
 * or attribute is wrong. */
Result<LayerSums> convolution_sums(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                                   const ModelShapes& shapes);
/** Returns true for a convolution of com.microsoft whose data has the channels in its last dimension. */
bool has_channels_last(const onnx::NodeProto& node);
/** Reads the sums of a Gemm. Errors: as convolution_sums(). */
Result<LayerSums> gemm_sums(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                            const ModelShapes& shapes);
/** Reads the sums of a MatMul with broadcast batches. Errors: as convolution_sums(). */
Result<LayerSums> matmul_sums(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                              const ModelShapes& shapes);
/** Reads the sums of an Einsum that is a batched matrix multiplication. Errors: as convolution_sums(). */
Result<LayerSums> einsum_sums(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                              const ModelShapes& shapes);

/** Returns the InvalidArgument error that says why a node is not a task. */
std::unexpected<Error> no_task(std::string reason);

/**
 * Returns the shape of an input. Returns InvalidArgument if the shape is unknown or has a dimension of length
 * 0.
 */
Result<std::vector<std::int64_t>> input_shape(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                                              const ModelShapes& shapes, int number);

/**
 * Returns the index of the input with the weights, or with the second matrix, of a node that may be a layer.
 */
int weight_input(const onnx::NodeProto& node);

/** The types of a layer. */
struct LayerTypes {
  task::OperandTypes types;
  bool quantised = false;  ///< int8 values represent other numbers by scales and zero points
};

/**
 * Returns the types in which a node computes its sums. Operands from DequantizeLinear are int8 if their
 * scales can be applied after the sums. Returns InvalidArgument if tasks do not support these types.
 */
Result<LayerTypes> layer_types(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                               const ModelShapes& shapes, const LayerSums& sums);

}  // namespace kernelscape::onnx_reader
