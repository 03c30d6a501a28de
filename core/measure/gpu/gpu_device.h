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

namespace kernelscape::measure {

/** The failure of a call to a GPU driver. */
struct DeviceError {
  std::string message;        ///< message with the driver's name of the error
  bool context_lost = false;  ///< true: no later call of this process can succeed, after a fault, a trap, or
                              ///< the loss of the device
  bool out_of_memory = false;
  bool device_gone = false;  ///< true: the fault is the machine's, not the kernel's: the device fell off the
                             ///< bus or was removed
};

template <typename T>
using DeviceResult = std::expected<T, DeviceError>;

/** One argument of a kernel launch; arguments are in the order of the kernel's parameters. */
struct LaunchArgument {
  enum class Kind : std::uint8_t {
    Memory,  ///< a pointer to device memory
    Value,   ///< passed by value
    Local    ///< OpenCL: local memory of a work-group
  };
  Kind kind = Kind::Memory;
  std::uint64_t memory = 0;      ///< a GpuDevice::Memory
  std::string value{};           ///< bytes of the value
  std::int64_t local_bytes = 0;  ///< bytes per work-group
};

/**
 * A GPU inside a run worker, with one context, one queue and one loaded kernel. Calls are synchronous. No
 * call may follow one that lost the context.
 */
class GpuDevice {
 public:
  /** The driver's handle of device memory. */
  using Memory = std::uint64_t;

  virtual ~GpuDevice() = default;

  /**
   * Allocates memory with undefined contents. Sets DeviceError::out_of_memory if there is not enough memory.
   */
  virtual DeviceResult<Memory> allocate(std::size_t bytes) = 0;
  /** Frees memory of allocate(). Reports no errors. */
  virtual void release(Memory memory) = 0;
  /** Copies from the host to the start of the device memory; the copy is complete on return. */
  virtual DeviceResult<void> write(Memory memory, std::span<const std::byte> bytes) = 0;
  /** Copies from the start of the device memory to the host; the copy is complete on return. */
  virtual DeviceResult<void> read(Memory memory, std::span<std::byte> bytes) = 0;

  /** Copies from the start of one memory to the start of another; later calls see the copied contents. */
  virtual DeviceResult<void> copy(Memory to, Memory from, std::size_t bytes) = 0;

  /**
   * CUDA: fills the loaded kernel's __constant__ array. Returns false if the kernel has no array of that name
   * or a smaller one.
   */
  virtual DeviceResult<bool> write_constant(const std::string& name, std::span<const std::byte> bytes) = 0;

  /** Loads an artefact of a builder and replaces the kernel that was loaded before. */
  virtual DeviceResult<void> load(const std::string& artefact, const std::string& entry) = 0;

  /**
   * Launches the loaded kernel `calls` times, one after the other, and waits.
   * @return seconds on the device between the start of the first call and the end of the last, measured by
   * device events
   */
  virtual DeviceResult<double> launch(const codegen::Launch& launch,
                                      std::span<const LaunchArgument> arguments, std::int64_t calls) = 0;

  /** Launches a kernel that takes only pointers, as launch() does. */
  DeviceResult<double> run(const codegen::Launch& launch, std::span<const Memory> arguments,
                           std::int64_t calls) {
    std::vector<LaunchArgument> all;
    for (const Memory memory : arguments) all.push_back({.memory = memory});
    return this->launch(launch, all, calls);
  }

  /** Overwrites the L2 cache. */
  virtual DeviceResult<void> flush_cache() = 0;
};

/** Opens "cuda:0" or "opencl:1" in this process. Errors are machine faults: no driver, no such device. */
Result<std::unique_ptr<GpuDevice>> open_gpu_device(const std::string& device);

/** Opens a CUDA device by its number. */
Result<std::unique_ptr<GpuDevice>> open_cuda_device(int number);
/** Opens an OpenCL device by its number, counted over all platforms in the order of the loader. */
Result<std::unique_ptr<GpuDevice>> open_opencl_device(int number);

}  // namespace kernelscape::measure
