#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/codegen/kernel_source.h"
#include "core/measure/worker/protocol.h"
#include "core/schedule/target.h"

namespace kernelscape {

/**
 * What a GPU can do at best: independent f32 multiply-adds on all threads, and reading a working set again
 * and again, each the fastest of many launches by the device's events. Compiles and runs in this process: for
 * workers. What a target without a device, or without a compiler, says of itself is the reply's problem.
 */
LimitsReply measure_gpu_limits(const LimitsRequest& request);

/** A kernel that measures one limit. It takes its input, where it reads any, and its output. */
struct LimitKernel {
  std::string entry;
  Launch launch;
  double work = 0;              ///< of one launch: operations, or bytes read
  std::size_t input_bytes = 0;  ///< 0: it has no input
  std::size_t output_bytes = 0;
};

/** The kernels for a target, in one source that is CUDA C++ and OpenCL C alike. */
struct LimitKernels {
  KernelSource source;
  LimitKernel multiply_add;
  LimitKernel read;  ///< its input is the working set, as near to the wanted one as threads divide it
};

/**
 * Returns by how many vectors each pass of the reading kernel starts behind the one before: a multiple of the
 * block's threads, near the golden section of the data, that visits every block of vectors before it comes
 * back to the first. A shift with a short period lets the compiler keep values in registers, or the core in
 * its first-level cache, and the bandwidth comes out above what the device has.
 */
std::int64_t pass_shift(std::int64_t vectors, std::int64_t block);

/** Makes the kernels; needs no device. */
LimitKernels make_limit_kernels(const TargetDescription& target, double working_set_bytes);

}  // namespace kernelscape
