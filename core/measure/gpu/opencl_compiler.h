#pragma once

#include <string>

#include "core/measure/worker/protocol.h"

namespace kernelscape {

/** A trivial kernel for "opencl:0": a compiler that fails on this fails on everything. */
BuildRequest opencl_self_test_request(const std::string& device);

}  // namespace kernelscape
