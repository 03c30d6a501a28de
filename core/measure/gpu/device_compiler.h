#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/measure/worker/protocol.h"

namespace kernelscape {

/**
 * A GPU's compiler in the hands of a build worker. The worker is killed where a compile outlasts its time:
 * nothing here watches the clock.
 */
class DeviceCompiler {
 public:
  virtual ~DeviceCompiler() = default;
  /** Built with log and resources; Failed with the compiler's diagnostics; a machine's fault otherwise. */
  virtual BuildReply compile(const BuildRequest& request) = 0;
};

/** NVRTC, opened from where users have it; the error says where it was looked for and how to get it. */
Result<std::unique_ptr<DeviceCompiler>> make_cuda_compiler();
/** The compilers of the OpenCL devices that the ICD loader finds. */
Result<std::unique_ptr<DeviceCompiler>> make_opencl_compiler();

}  // namespace kernelscape
