#pragma once

#include <string>

#include "core/measure/worker/protocol.h"

namespace kernelscape {

/** A trivial CUDA kernel: a compiler that fails on this, or that does not know the architecture ("sm_90a"),
 * fails on everything. */
BuildRequest cuda_self_test_request(const std::string& architecture);

}  // namespace kernelscape
