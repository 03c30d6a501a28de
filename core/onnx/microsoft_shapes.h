#pragma once

#include <onnx/onnx_pb.h>

#include <array>

namespace kernelscape {

/**
 * Makes an operator of com.microsoft one of ONNX or of own_shapes_domain that has the same shapes.
 * @return false if there is none; the operator stays as it was
 */
bool take_microsoft_rule(onnx::NodeProto& node);

/** Makes a node one of ONNX's with some of its inputs, -1: none. Activations and scales keep the shape. */
void take_plain_form(onnx::NodeProto& node, const char* plain, const std::array<int, 3>& inputs);

}  // namespace kernelscape
