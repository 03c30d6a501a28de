#pragma once

#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>

namespace kernelscape::onnx_reader {

/** The domain of operators whose shapes are inferred by rules of this program. */
constexpr const char* own_shapes_domain = "kernelscape.shapes";

/**
 * Attribute of an Einsum of own_shapes_domain: the type of its result, if it differs from that of its
 * operands.
 */
constexpr const char* type_attribute = "type";

/** Converts a node to an operator of own_shapes_domain. */
void set_rule(onnx::NodeProto& node, std::string_view rule);

/**
 * Converts an operator whose shape ONNX's library does not infer, or not in every version, to one of
 * own_shapes_domain or of ONNX: Einsum, the If, Loop and Scan of a flat graph and the nodes between them and
 * their bodies, and fused or quantised operators of com.microsoft. @return false for any other operator,
 * which is unchanged
 */
bool take_own_shape_rule(onnx::NodeProto& node);

/** Returns the schemas of ONNX's operators and those of own_shapes_domain. */
const onnx::ISchemaRegistry& schemas_with_own_shapes();

}  // namespace kernelscape::onnx_reader
