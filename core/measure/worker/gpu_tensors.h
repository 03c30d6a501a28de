#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/measure/worker/gpu_operands.h"
#include "core/measure/worker/prepared_task.h"

namespace kernelscape::measure {

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

}  // namespace kernelscape::measure
