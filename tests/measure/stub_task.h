#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace kernelscape::measure_tests {

/**
 * What a kernel of ours computes, told by the header comment of its source: the stand-in for NVRTC makes
 * "cubins" that are sources, and the stand-in for the driver runs them by their tasks. The function takes the
 * arguments as cuLaunchKernel has them, tensors of the host, the output last. Empty: the text names
 * no task that can be computed.
 */
std::function<void(void** arguments)> computation_of_source(const std::string& text);

}  // namespace kernelscape::measure_tests
