#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/measure/worker/protocol.h"

namespace kernelscape::measure {

/**
 * A GPU compiler inside a build worker. The worker is killed if a compile exceeds its time-out; the compiler
 * itself does not check the time.
 */
class DeviceCompiler {
 public:
  virtual ~DeviceCompiler() = default;
  /**
   * Compiles a kernel. The reply is Built with log and resources, Failed with the compiler's diagnostics, or
   * a machine fault.
   */
  virtual BuildReply compile(const BuildRequest& request) = 0;
};

/** Opens NVRTC from its usual locations. The error names the searched locations and how to install NVRTC. */
Result<std::unique_ptr<DeviceCompiler>> make_cuda_compiler();
/** Opens the compilers of the OpenCL devices that the ICD loader finds. */
Result<std::unique_ptr<DeviceCompiler>> make_opencl_compiler();

}  // namespace kernelscape::measure
