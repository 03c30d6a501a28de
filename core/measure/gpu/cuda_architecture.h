#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kernelscape {

/**
 * What a multiprocessor of a compute capability holds, as the tables of NVIDIA's CUDA C++ Programming Guide
 * (compute capabilities) and its occupancy calculator (cuda_occupancy.h) have it.
 */
struct CudaArchitecture {
  int capability = 0;  ///< 90 for 9.0
  std::int64_t threads = 0;
  std::int64_t blocks = 0;
  std::int64_t shared_bytes = 0;
};

/** Ascending. */
std::span<const CudaArchitecture> known_cuda_architectures();

/** The capability in "sm_90", "sm_90a"; nothing where it is no such name. */
std::optional<int> capability_of(std::string_view architecture);

/**
 * The name that kernels for a device of this capability are built for. From 9.0 on it is the one with "a":
 * kernels are built for the device at hand and need not run on others, and only that variant has all of its
 * instructions. NVRTC has them from CUDA 12 on.
 * @param compiler_major of NVRTC's version; 0: none was found
 */
std::string architecture_name(int capability, int compiler_major);

/** "580.65.06" of the text of /proc/driver/nvidia/version; empty where it has none. */
std::string kernel_module_version(std::string_view text);

}  // namespace kernelscape
