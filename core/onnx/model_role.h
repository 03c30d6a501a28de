#pragma once

#include "core/measure/worker/channel.h"

namespace kernelscape {

/**
 * Runs a worker in the role that reads models, confined like a kernel, with limits on memory and processor
 * time.
 */
void serve_models(Channel& channel);

}  // namespace kernelscape
