#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/measure/worker/gpu_operands.h"
#include "core/measure/worker/prepared_program.h"

namespace kernelscape::measure {

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
