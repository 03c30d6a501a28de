#pragma once

#include <span>
#include <string>

#include "core/measure/gpu/gpu_device.h"
#include "core/measure/worker/output_check.h"

namespace kernelscape::measure {

/**
 * The arguments of GPU kernels in device memory. Read-only arguments stay there from trial to trial. After a
 * device error only forget() and lose() may be called.
 */
class GpuOperands {
 public:
  virtual ~GpuOperands() = default;

  /**
   * Provides memory for the next kernel; its outputs are filled so that unwritten elements can be detected.
   */
  virtual DeviceResult<void> place(GpuDevice& device) = 0;
  /** Returns the arguments in the order of the kernel's parameters. */
  virtual std::span<const LaunchArgument> arguments() const = 0;
  /** Fills the __constant__ arrays of the kernel; call it after the kernel was loaded. */
  virtual DeviceResult<void> fill_constants(GpuDevice&) { return {}; }
  /** Returns true if a call changes data that the next call needs; restore() must then precede each call. */
  virtual bool restores() const { return false; }
  /** Queues the restoring of changed data; it is complete before the next launch. */
  virtual DeviceResult<void> restore(GpuDevice&) { return {}; }
  /** Checks the outputs of the latest call. */
  virtual DeviceResult<OutputCheck> check(GpuDevice& device) = 0;
  /** Returns the name of a read-only argument that the kernel wrote to; empty: none. */
  virtual DeviceResult<std::string> changed_input(GpuDevice& device) = 0;
  /** Releases the memory of a trial. */
  virtual void take_back(GpuDevice& device) = 0;
  /** Marks read-only arguments for a new upload, since a kernel may have written to them. */
  virtual void forget(GpuDevice& device) = 0;
  /** Drops all handles after the device was lost with its memory. */
  virtual void lose() = 0;
};

}  // namespace kernelscape::measure
