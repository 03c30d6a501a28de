#pragma once

#include "core/base/result.h"
#include "core/measure/worker/model_messages.h"

namespace kernelscape {

/**
 * What a model consists of: a task for each convolution and matrix multiplication that runs when the network
 * does, and all other operators by name. Errors (InvalidArgument, NotFound) say what of the model or of the
 * given dimensions is wrong; a node that can't be a task is an operator with a reason.
 *
 * The library that infers shapes can be made to crash or to run for ever: untrusted models are for
 * serve_models().
 */
Result<ModelReply> read_onnx_model(const ModelRequest& request);

}  // namespace kernelscape
