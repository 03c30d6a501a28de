#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/schedule/target.h"
#include "core/trial/measurement.h"

namespace kernelscape {

/** A CUDA kernel as its compiler's texts. */
struct GpuCode {
  std::string ptx;              ///< with lines of source
  std::string sass{};           ///< empty where no disassembler was found
  KernelResources resources{};  ///< of the device's own code, without occupancy
  std::vector<std::string> notes{};
};

/**
 * Builds a CUDA kernel twice in a build worker: as PTX with lines, and as the device's own code, which
 * nvdisasm or cuobjdump takes apart where $PATH or the toolkit's folder has one. @param target of the
 * session: its architecture counts, no device is needed. Errors: no worker, no NVRTC, a kernel that it
 * refuses.
 */
Result<GpuCode> build_gpu_code(const KernelSource& kernel, const TargetDescription& target,
                               double timeout_seconds);

}  // namespace kernelscape
