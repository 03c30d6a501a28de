#pragma once

#include <string_view>

namespace kernelscape::measure {

/**
 * Macros at the beginning of sources that are valid as CUDA C++ and as OpenCL C: KERNEL before a kernel,
 * GLOBAL before pointers to global memory, THREAD for the index of the thread in the grid.
 */
inline constexpr std::string_view dialect_macros = R"(#ifdef __OPENCL_VERSION__
#define KERNEL __kernel
#define GLOBAL __global
#define THREAD ((int)get_global_id(0))
#else
#define KERNEL extern "C" __global__
#define GLOBAL
#define THREAD ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#endif
)";

}  // namespace kernelscape::measure
