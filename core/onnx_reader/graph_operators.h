#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/onnx_reader/graph_preparation.h"
#include "core/onnx_reader/model_shapes.h"

namespace kernelscape::onnx_reader {

/** The oldest operator set that is converted: older ones broadcast otherwise. */
inline constexpr std::int64_t oldest_graph_operator_set = 7;
/** The newest operator set whose changes are known. */
inline constexpr std::int64_t newest_graph_operator_set = 23;

/**
 * Domain of nodes that can be converted only when the shapes of their inputs are known: Pad with axes, Split
 * with a number of parts, FusedMatMul. own_shapes.h has rules for their results' shapes.
 */
inline constexpr const char* pending_domain = "kernelscape.pending";
/** Attributes of a pending Pad: its constant inputs. */
inline constexpr const char* pending_amounts_attribute = "kernelscape.amounts";
inline constexpr const char* pending_axes_attribute = "kernelscape.axes";
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

/**
 * Returns the amounts of a pending Pad for all dimensions: before each, then after each. nullopt if the
 * node's do not fit the rank.
 */
std::optional<std::vector<std::int64_t>> pending_pad_amounts(const onnx::AttributeProto* amounts,
                                                             const onnx::AttributeProto* axes,
                                                             std::size_t rank);

/** Returns the lengths of all parts of a pending Split; empty if it cannot be split. */
std::vector<std::int64_t> pending_split_lengths(std::int64_t extent, std::int64_t parts);

}  // namespace kernelscape::onnx_reader
