#pragma once

#include "core/measure/worker/channel.h"

namespace kernelscape {

/** A worker's role: reads models, confined as a kernel is, and with limits on memory and processor time. */
void serve_models(Channel& channel);

}  // namespace kernelscape
