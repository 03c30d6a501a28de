#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <string>

namespace kernelscape::onnx_reader {

/**
 * Converts a model's operators so that ONNX 1.12 (operator set 17) infers their shapes correctly: it would
 * interpret operators of newer sets by older rules. Axes that became inputs become attributes again,
 * operators that keep the shape of their first input become Identity, and operators that changed otherwise,
 * or are unknown, get no shape. Operators with rules of this program become operators of own_shapes_domain:
 * take_own_shape_rule(). @return why operators get no shape, by their first result
 */
std::map<std::string, std::string> replace_changed_operators(onnx::ModelProto& model);

}  // namespace kernelscape::onnx_reader
