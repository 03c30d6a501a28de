#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <string>

namespace kernelscape {

/**
 * Makes a model's operators such that ONNX 1.12 (operator set 17) infers their shapes right: of newer sets it
 * would take them for what they were. Axes that became inputs become attributes again, what keeps the shape
 * of its first input is told as Identity, and what changed otherwise, or is not known, gives no shape.
 * Operators with rules of this program become theirs: take_own_shape_rule().
 * @return why operators give no shape, by their first result
 */
std::map<std::string, std::string> replace_changed_operators(onnx::ModelProto& model);

}  // namespace kernelscape
