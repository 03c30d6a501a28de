#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/codegen/kernel_source.h"
#include "core/measure/worker/protocol.h"
#include "core/schedule/target.h"

namespace kernelscape::measure {

/**
 * Measures the limits of a GPU: independent f32 multiply-adds on all threads, and repeated reads of a working
 * set, each the fastest of many launches by device events. Compiles and runs in this process, so only workers
 * call it. The reply's `problem` reports a target without a device or without a compiler.
 */
LimitsReply measure_gpu_limits(const LimitsRequest& request);

/** A kernel that measures one limit. It has one output, and one input if it reads data. */
struct LimitKernel {
  std::string entry;
  codegen::Launch launch;
  double work = 0;              ///< work of one launch: operations, or bytes read
  std::size_t input_bytes = 0;  ///< 0: it has no input
  std::size_t output_bytes = 0;
};

/** The kernels for a target, in one source that is valid both as CUDA C++ and as OpenCL C. */
struct LimitKernels {
  codegen::KernelSource source;
  LimitKernel multiply_add;
  LimitKernel read;  ///< its input is the working set, as close to the requested size as the number of
                     ///< threads permits
};

/**
 * Returns the number of vectors by which each pass of the reading kernel is shifted from the pass before: a
 * multiple of the block's threads, near the golden section of the data, that visits every block of vectors
 * before it returns to the first. With a shift of a short period, the compiler could keep values in
 * registers, or the core in its first-level cache, and the measured bandwidth would exceed that of the
 * device.
 */
std::int64_t pass_shift(std::int64_t vectors, std::int64_t block);

/** Makes the kernels; needs no device. */
LimitKernels make_limit_kernels(const schedule::TargetDescription& target, double working_set_bytes);

}  // namespace kernelscape::measure
