#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kernelscape::measure {

/**
 * The resources of a multiprocessor by compute capability, from the tables of NVIDIA's CUDA C++ Programming
 * Guide (compute capabilities) and its occupancy calculator (cuda_occupancy.h).
 */
struct CudaArchitecture {
  int capability = 0;  ///< 90 for 9.0
  std::int64_t threads = 0;
  std::int64_t blocks = 0;
  std::int64_t shared_bytes = 0;
};

/** Returns the known architectures in ascending order. */
std::span<const CudaArchitecture> known_cuda_architectures();

/** Returns the capability in "sm_90" or "sm_90a"; nullopt if the text is no such name. */
std::optional<int> capability_of(std::string_view architecture);

/**
 * Returns the architecture name that kernels for a device of this capability are built for. From 9.0 on it
 * ends with "a": kernels are built for the present device and need not run on others, and only this variant
 * has all of its instructions. NVRTC supports these names from CUDA 12 on.
 * @param compiler_major major version of NVRTC; 0: not found
 */
std::string architecture_name(int capability, int compiler_major);

/**
 * Returns the version, such as "580.65.06", from the text of /proc/driver/nvidia/version; empty if it has
 * none.
 */
std::string kernel_module_version(std::string_view text);

}  // namespace kernelscape::measure
