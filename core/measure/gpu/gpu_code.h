#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/schedule/target.h"
#include "core/trial/measurement.h"

namespace kernelscape::measure {

/** The texts that a compiler produces for a CUDA kernel. */
struct GpuCode {
  std::string ptx;                     ///< PTX with source lines
  std::string sass{};                  ///< SASS; empty if no disassembler was found
  trial::KernelResources resources{};  ///< resources of the device code, without occupancy
  std::vector<std::string> notes{};
};

/**
 * Builds a CUDA kernel twice in a build worker: as PTX with lines, and as device code, which is disassembled
 * by nvdisasm or cuobjdump if $PATH or the toolkit's folder has one of them. Errors: no worker, no NVRTC, or
 * a kernel that NVRTC refuses.
 * @param target target of the session; only its architecture is used, no device is needed
 */
Result<GpuCode> build_gpu_code(const codegen::KernelSource& kernel, const schedule::TargetDescription& target,
                               double timeout_seconds);

}  // namespace kernelscape::measure
