#pragma once

#include <string>

#include "core/measure/worker/protocol.h"

namespace kernelscape::measure {

/**
 * Returns the request that compiles a trivial kernel for "opencl:0": a compiler that fails on it fails on
 * every kernel.
 */
BuildRequest opencl_self_test_request(const std::string& device);

}  // namespace kernelscape::measure
