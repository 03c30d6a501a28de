#pragma once

#include <onnx/onnx_pb.h>

#include <array>

namespace kernelscape::onnx_reader {

/**
 * Converts an operator of com.microsoft to an operator of ONNX or of own_shapes_domain with the same shapes.
 * @return false if there is none; the operator is then unchanged
 */
bool take_microsoft_rule(onnx::NodeProto& node);

/**
 * Converts a node to an operator of ONNX with some of its inputs, -1: none. Activations and scales keep the
 * shape.
 */
void take_plain_form(onnx::NodeProto& node, const char* plain, const std::array<int, 3>& inputs);

}  // namespace kernelscape::onnx_reader
