#pragma once

#include <memory>

#include "core/measure/gpu/gpu_device.h"
#include "core/measure/worker/gpu_operands.h"
#include "core/measure/worker/prepared_program.h"
#include "core/measure/worker/prepared_task.h"
#include "core/measure/worker/protocol.h"

namespace kernelscape {

/**
 * Checks and times kernels on a GPU in this process, as run_kernel_trial() does on a CPU: the output is
 * filled with NaN, the kernel runs once and is checked, is timed, and is checked again. The inputs stay in
 * the device's memory from trial to trial, and are compared after each, since a kernel may have written to
 * them.
 */
class GpuTrials {
 public:
  explicit GpuTrials(std::unique_ptr<GpuDevice> device);
  /** Of a user's kernels. @param program outlives it */
  GpuTrials(std::unique_ptr<GpuDevice> device, const PreparedProgram& program);
  GpuTrials(GpuTrials&& other) noexcept;
  ~GpuTrials();

  /**
   * NO_ERROR, RUNTIME_DEVICE where a load, a launch or the kernel fails, WRONG_ANSWER, or RUN_TIMEOUT of a
   * kernel that ends, but too late: one that does not is its caller's to stop. Memory that can't be had for
   * the tensors and a device that is gone are the machine's faults. After device_lost nothing may follow.
   */
  RunReply run(const TrialTensors& tensors, const RunRequest& request);
  /** The same of a user's kernel. */
  RunReply run(const RunRequest& request);

  /** Fills what is right with the outputs of a reference kernel. InvalidArgument: it fails, and why. */
  Status run_reference(const PreparedAnswer& answer, const PreparedProgram& program);

 private:
  class Trial;
  std::unique_ptr<GpuDevice> device_;
  GpuTensors tensors_;
  std::unique_ptr<GpuProgram> program_;
};

}  // namespace kernelscape
