#pragma once

#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>

namespace kernelscape {

/** The domain of operators whose shapes are inferred by rules of this program. */
constexpr const char* own_shapes_domain = "kernelscape.shapes";

/** Attribute of an Einsum of own_shapes_domain: the type of its result, if it is not that of its operands. */
constexpr const char* type_attribute = "type";

/** Makes a node one of own_shapes_domain. */
void set_rule(onnx::NodeProto& node, std::string_view rule);

/**
 * Makes an operator that ONNX's library infers no shape for, or not on every version, one of
 * own_shapes_domain or of ONNX: Einsum, the If, Loop and Scan of a flat graph and what stands between them
 * and their bodies, and fused or quantised operators of com.microsoft.
 * @return false if the operator is none of these; it stays as it was
 */
bool take_own_shape_rule(onnx::NodeProto& node);

/** ONNX's operators and those of own_shapes_domain. */
const onnx::ISchemaRegistry& schemas_with_own_shapes();

}  // namespace kernelscape
