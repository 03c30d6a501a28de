#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/measure/gpu/gpu_device.h"
#include "core/measure/worker/output_check.h"
#include "core/measure/worker/prepared_program.h"
#include "core/measure/worker/prepared_task.h"

namespace kernelscape {

/**
 * What kernels on a GPU are launched with, in the device's memory. What only is read stays there from trial
 * to trial. After an error of the device nothing but forget() and lose() may follow.
 */
class GpuOperands {
 public:
  virtual ~GpuOperands() = default;

  /** Memory for the next kernel, its outputs filled so that what stays unwritten shows. */
  virtual DeviceResult<void> place(GpuDevice& device) = 0;
  /** In the order of the kernel's parameters. */
  virtual std::span<const LaunchArgument> arguments() const = 0;
  /** After the kernel was loaded: what it keeps itself. */
  virtual DeviceResult<void> fill_constants(GpuDevice&) { return {}; }
  /** Whether a call changes what the next one needs: restore() then comes before each. */
  virtual bool restores() const { return false; }
  /** Queued, and done before the next launch. */
  virtual DeviceResult<void> restore(GpuDevice&) { return {}; }
  /** Of the outputs of the latest call. */
  virtual DeviceResult<OutputCheck> check(GpuDevice& device) = 0;
  /** The name of what only is read and was written to all the same; empty: nothing. */
  virtual DeviceResult<std::string> changed_input(GpuDevice& device) = 0;
  /** Takes back what a trial leaves. */
  virtual void take_back(GpuDevice& device) = 0;
  /** What is read is uploaded again: a kernel may have written to it. */
  virtual void forget(GpuDevice& device) = 0;
  /** The device is gone with all that it held. */
  virtual void lose() = 0;
};

/** Inputs and output of a template's kernel. */
class GpuTensors final : public GpuOperands {
 public:
  /** What the next kernel takes. @param tensors, arguments until take_back() */
  void set(const TrialTensors& tensors, const std::vector<KernelArgument>& arguments);

  DeviceResult<void> place(GpuDevice& device) override;
  std::span<const LaunchArgument> arguments() const override { return launched_; }
  DeviceResult<OutputCheck> check(GpuDevice& device) override;
  DeviceResult<std::string> changed_input(GpuDevice& device) override;
  void take_back(GpuDevice& device) override;
  void forget(GpuDevice& device) override;
  void lose() override;

 private:
  struct Input {
    Layout layout;
    GpuDevice::Memory memory = 0;
  };
  DeviceResult<void> place_input(GpuDevice& device, std::size_t position);

  const TrialTensors* tensors_ = nullptr;
  const std::vector<KernelArgument>* kernel_arguments_ = nullptr;
  std::array<std::optional<Input>, 2> inputs_;
  std::optional<GpuDevice::Memory> output_;
  std::array<LaunchArgument, 3> launched_{};
  std::vector<std::byte> blank_;  ///< an output that no kernel has written to, with what lies behind it
  std::vector<std::byte> read_back_;
};

/** Arguments of a user's kernel. */
class GpuProgram final : public GpuOperands {
 public:
  /** @param program outlives it */
  explicit GpuProgram(const PreparedProgram& program) : program_(program) {}

  /** Bytes of each Local argument of the next kernel. */
  void set(const Launch& launch) { local_bytes_ = launch.local_bytes; }

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

  /** What the latest call left of an argument, into `into`. */
  DeviceResult<void> read_output(GpuDevice& device, std::size_t argument, std::span<std::byte> into);

 private:
  /** A vector in the device's memory; of one that is read and written also as it was at first. */
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

}  // namespace kernelscape
