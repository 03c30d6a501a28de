#pragma once

#include "core/measure/worker/channel.h"

namespace kernelscape::onnx_reader {

/**
 * Runs a worker in the role that reads models, confined like a kernel, with limits on memory and processor
 * time.
 */
void serve_models(measure::Channel& channel);

}  // namespace kernelscape::onnx_reader
