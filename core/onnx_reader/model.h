#pragma once

#include "core/base/result.h"
#include "core/measure/worker/model_messages.h"

namespace kernelscape::onnx_reader {

/**
 * Reads the content of a model: a task for each convolution and matrix multiplication that is executed with
 * the network, and all other operators by name. Errors (InvalidArgument, NotFound) say what is wrong in the
 * model or the given dimensions; a node that cannot become a task is an operator with a reason.
 *
 * A hostile model can make the library that infers shapes crash or run for ever: read untrusted models with
 * serve_models().
 */
Result<measure::ModelReply> read_onnx_model(const measure::ModelRequest& request);

}  // namespace kernelscape::onnx_reader
