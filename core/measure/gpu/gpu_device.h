#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"

namespace kernelscape {

/** Why a call of a GPU's driver failed. */
struct DeviceError {
  std::string message;  ///< with the driver's own name of the error
  bool context_lost =
      false;  ///< no later call of this process can work: a fault, a trap, a device that is gone
  bool out_of_memory = false;
  bool device_gone = false;  ///< the machine's fault, not the kernel's: it fell off the bus, was taken away
};

template <typename T>
using DeviceResult = std::expected<T, DeviceError>;

/** What a kernel is launched with, in the order of its parameters. */
struct LaunchArgument {
  enum class Kind : std::uint8_t {
    Memory,  ///< a pointer to memory of the device
    Value,   ///< passed by value
    Local    ///< OpenCL: memory of a work-group
  };
  Kind kind = Kind::Memory;
  std::uint64_t memory = 0;      ///< GpuDevice::Memory
  std::string value{};           ///< its bytes
  std::int64_t local_bytes = 0;  ///< of a work-group
};

/**
 * A GPU in the hands of a run worker: one context, one queue, one loaded kernel. Calls are synchronous. No
 * call may follow one that lost the context.
 */
class GpuDevice {
 public:
  /** Memory of the device by the driver's handle. */
  using Memory = std::uint64_t;

  virtual ~GpuDevice() = default;

  /** Contents are undefined; DeviceError::out_of_memory where there is no room. */
  virtual DeviceResult<Memory> allocate(std::size_t bytes) = 0;
  /** Frees what allocate() gave; never fails aloud. */
  virtual void release(Memory memory) = 0;
  /** Host to device, from the start of the memory; done when it returns. */
  virtual DeviceResult<void> write(Memory memory, std::span<const std::byte> bytes) = 0;
  /** Device to host, from the start of the memory; done when it returns. */
  virtual DeviceResult<void> read(Memory memory, std::span<std::byte> bytes) = 0;

  /** From the start of one memory to that of another; later calls find it done. */
  virtual DeviceResult<void> copy(Memory to, Memory from, std::size_t bytes) = 0;

  /** CUDA: fills the loaded kernel's __constant__ array. False: it has none of that name, or a smaller one.
   */
  virtual DeviceResult<bool> write_constant(const std::string& name, std::span<const std::byte> bytes) = 0;

  /** Loads what a builder made, in place of the kernel that was loaded before. */
  virtual DeviceResult<void> load(const std::string& artefact, const std::string& entry) = 0;

  /**
   * Launches the loaded kernel `calls` times, one after the other, and waits.
   * @return seconds on the device between the start of the first and the end of the last, by its own events
   */
  virtual DeviceResult<double> launch(const Launch& launch, std::span<const LaunchArgument> arguments,
                                      std::int64_t calls) = 0;

  /** The same of a kernel that takes pointers alone. */
  DeviceResult<double> run(const Launch& launch, std::span<const Memory> arguments, std::int64_t calls) {
    std::vector<LaunchArgument> all;
    for (const Memory memory : arguments) all.push_back({.memory = memory});
    return this->launch(launch, all, calls);
  }

  /** Overwrites the L2 cache. */
  virtual DeviceResult<void> flush_cache() = 0;
};

/** "cuda:0" or "opencl:1" opened by this process, or the machine's fault: no driver, no such device. */
Result<std::unique_ptr<GpuDevice>> open_gpu_device(const std::string& device);

/** CUDA devices by their number. */
Result<std::unique_ptr<GpuDevice>> open_cuda_device(int number);
/** OpenCL devices by their number over all platforms, in the order of the loader. */
Result<std::unique_ptr<GpuDevice>> open_opencl_device(int number);

}  // namespace kernelscape
