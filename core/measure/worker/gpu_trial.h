#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "core/measure/gpu/gpu_device.h"
#include "core/measure/worker/gpu_program.h"
#include "core/measure/worker/gpu_tensors.h"
#include "core/measure/worker/prepared_program.h"
#include "core/measure/worker/prepared_task.h"
#include "core/measure/worker/protocol.h"

namespace kernelscape::measure {

/**
 * Checks and times kernels on a GPU in this process, as run_kernel_trial() does on a CPU: the output is
 * filled with NaN, the kernel runs once and is checked, is timed, and is checked again. The inputs stay in
 * device memory from trial to trial, and are compared after each trial, since a kernel may have written to
 * them.
 */
class GpuTrials {
 public:
  explicit GpuTrials(std::unique_ptr<GpuDevice> device);
  /**
   * Makes trials of user kernels.
   * @param program must outlive this object
   */
  GpuTrials(std::unique_ptr<GpuDevice> device, const PreparedProgram& program);
  GpuTrials(GpuTrials&& other) noexcept;
  ~GpuTrials();

  /** Sets the function that returns the joules that the device consumed, see TimedKernel::joules. */
  void set_joules(std::function<double()> joules) { joules_ = std::move(joules); }

  /**
   * Runs a trial. The result is NO_ERROR, RUNTIME_DEVICE if a load, a launch or the kernel fails,
   * WRONG_ANSWER, or RUN_TIMEOUT for a kernel that ends too late; the caller must stop a kernel that does not
   * end. Lack of memory for the tensors and loss of the device are machine faults. After device_lost no
   * further call may follow.
   */
  RunReply run(const TrialTensors& tensors, const RunRequest& request);
  /** Runs a trial of a user kernel, with the results of the other overload. */
  RunReply run(const RunRequest& request);

  /**
   * Fills the reference outputs with the outputs of a reference kernel. Returns InvalidArgument with the
   * reason if that kernel fails.
   */
  Status run_reference(const PreparedAnswer& answer, const PreparedProgram& program);

 private:
  class Trial;
  std::unique_ptr<GpuDevice> device_;
  GpuTensors tensors_;
  std::unique_ptr<GpuProgram> program_;
  std::function<double()> joules_;
};

}  // namespace kernelscape::measure
