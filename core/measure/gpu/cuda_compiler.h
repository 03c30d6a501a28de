#pragma once

#include <string>

#include "core/measure/worker/protocol.h"

namespace kernelscape::measure {

/**
 * Returns the request that compiles a trivial CUDA kernel: a compiler that fails on it, or that does not know
 * the architecture ("sm_90a"), fails on every kernel.
 */
BuildRequest cuda_self_test_request(const std::string& architecture);

}  // namespace kernelscape::measure
