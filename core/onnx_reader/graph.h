#pragma once

#include "core/base/result.h"
#include "core/measure/worker/model_messages.h"

namespace kernelscape::onnx_reader {

/**
 * Reads the graph of a model in the form of graph::Graph: flat, in the operator set 17, with the shapes of
 * all values. Errors (InvalidArgument, NotFound) say what is wrong in the model or the given dimensions, name
 * all nodes that are not supported, or the values whose shapes are not known. Untrusted models: as for
 * read_onnx_model().
 */
Result<measure::ModelReply> read_onnx_graph(const measure::ModelRequest& request);

}  // namespace kernelscape::onnx_reader
