#pragma once

#include <cstddef>
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

/** Needs no device. */
LimitKernels make_limit_kernels(const TargetDescription& target, double working_set_bytes);

}  // namespace kernelscape
