#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>

#include "core/onnx_reader/graph_preparation.h"
#include "core/onnx_reader/model_shapes.h"

namespace kernelscape::onnx_reader {

/** The oldest operator set that is converted: older ones broadcast otherwise. */
inline constexpr std::int64_t oldest_graph_operator_set = 7;
/** The newest operator set whose changes are known. */
inline constexpr std::int64_t newest_graph_operator_set = 23;

/**
 * Domain of nodes that can be converted only when the shapes of their inputs are known: no shape is inferred
 * for their results until then.
 */
inline constexpr const char* pending_domain = "kernelscape.pending";
/** Attribute of a Softmax of an operator set before 13, which is over all dimensions from `axis` on. */
inline constexpr const char* coerced_attribute = "kernelscape.coerced";

/**
 * Converts a flat model with sorted nodes to the operator set 17, as graph::Node describes it, as far as this
 * is possible without shapes: Constant nodes become initializers, attributes and inputs are those of set 17,
 * nodes that no output depends on are removed. Operators that are not supported are added to `unsupported`.
 */
void convert_operators(onnx::ModelProto& model, UnsupportedNodes& unsupported);

/**
 * Converts the nodes for which the types or the shapes of the inputs matter. Returns true if a node was
 * converted, so that shapes should be inferred again.
 */
bool convert_with_shapes(onnx::ModelProto& model, const ModelShapes& shapes);

}  // namespace kernelscape::onnx_reader
