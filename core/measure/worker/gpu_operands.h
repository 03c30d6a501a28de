#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/measure/gpu/gpu_device.h"
#include "core/measure/worker/output_check.h"
#include "core/measure/worker/prepared_program.h"
#include "core/measure/worker/prepared_task.h"

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

/** Inputs, output and operands of the epilogue of a template's kernel. */
class GpuTensors final : public GpuOperands {
 public:
  /** Sets the tensors and arguments of the next kernel. Both must stay valid until take_back(). */
  void set(const TrialTensors& tensors, const std::vector<codegen::KernelArgument>& arguments);

  DeviceResult<void> place(GpuDevice& device) override;
  std::span<const LaunchArgument> arguments() const override { return launched_; }
  DeviceResult<OutputCheck> check(GpuDevice& device) override;
  DeviceResult<std::string> changed_input(GpuDevice& device) override;
  void take_back(GpuDevice& device) override;
  void forget(GpuDevice& device) override;
  void lose() override;

 private:
  struct Input {
    loop_nest::Layout layout;
    GpuDevice::Memory memory = 0;
  };
  DeviceResult<void> place_input(GpuDevice& device, std::size_t position);
  /** Returns the packed contents of an argument that the kernel reads. */
  std::span<const std::byte> contents(std::size_t position) const;

  const TrialTensors* tensors_ = nullptr;
  const std::vector<codegen::KernelArgument>* kernel_arguments_ = nullptr;
  std::vector<std::optional<Input>> inputs_;  ///< by argument; none for the output
  std::optional<GpuDevice::Memory> output_;
  std::vector<LaunchArgument> launched_;
  std::vector<std::byte> blank_;  ///< bytes of an unwritten output, including the guard bytes behind it
  std::vector<std::byte> read_back_;
};

/** Arguments of a user's kernel. */
class GpuProgram final : public GpuOperands {
 public:
  /** @param program must outlive this object */
  explicit GpuProgram(const PreparedProgram& program) : program_(program) {}

  /** Sets the bytes of each Local argument of the next kernel. */
  void set(const codegen::Launch& launch) { local_bytes_ = launch.local_bytes; }

  DeviceResult<void> place(GpuDevice& device) override;
  std::span<const LaunchArgument> arguments() const override { return launched_; }
  DeviceResult<void> fill_constants(GpuDevice& device) override;
  bool restores() const override;
  DeviceResult<void> restore(GpuDevice& device) override;
  DeviceResult<OutputCheck> check(GpuDevice& device) override;
  DeviceResult<std::string> changed_input(GpuDevice& device) override;
  void take_back(GpuDevice&) override {}
  void forget(GpuDevice& device) override;
  void lose() override { vectors_.clear(); }

  /** Copies the contents of an argument after the latest call to `into`. */
  DeviceResult<void> read_output(GpuDevice& device, std::size_t argument, std::span<std::byte> into);

 private:
  /**
   * A vector in device memory; for a vector that is read and written, also a copy of its initial contents.
   */
  struct Vector {
    std::size_t argument = 0;
    GpuDevice::Memory memory = 0;
    std::optional<GpuDevice::Memory> original{};
  };
  DeviceResult<void> allocate(GpuDevice& device);
  DeviceResult<void> clear(GpuDevice& device, const Vector& vector);

  const PreparedProgram& program_;
  std::vector<std::int64_t> local_bytes_;
  std::vector<Vector> vectors_;  ///< in the order of the arguments; empty: not placed
  std::vector<LaunchArgument> launched_;
  std::vector<std::byte> blank_;
  std::vector<std::byte> read_back_;
};

}  // namespace kernelscape::measure
