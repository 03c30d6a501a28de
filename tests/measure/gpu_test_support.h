#pragma once

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/measure/gpu/device_compiler.h"
#include "core/measure/gpu/gpu_device.h"
#include "core/measure/gpu/gpu_target.h"

namespace kernelscape::testing {

/** What a test that needs an OpenCL device skips for: why there is none. */
inline std::string missing_opencl() {
  const auto devices = measure::list_opencl_devices();
  return devices ? std::string() : describe(devices.error());
}

/** The first OpenCL device that can be used. */
inline schedule::TargetDescription first_opencl_target() {
  return measure::list_opencl_devices().value().front().target;
}

/** How a kernel of this target is built. */
inline measure::BuildRequest build_request(const codegen::KernelSource& source,
                                           const schedule::TargetDescription& target) {
  measure::BuildRequest request;
  request.dialect = source.dialect;
  request.device = target.name;
  request.architecture = target.isa;
  request.entry = source.entry;
  request.flags = source.flags.words();
  request.text = source.text;
  return request;
}

/** Memory of a device, given back with this object. */
class DeviceBuffer {
 public:
  DeviceBuffer(measure::GpuDevice& device, std::size_t bytes)
      : device_(device), memory_(device.allocate(bytes).value()) {}
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { device_.release(memory_); }

  measure::GpuDevice::Memory memory() const { return memory_; }

  template <typename T>
  void write(const std::vector<T>& values) {
    device_.write(memory_, std::as_bytes(std::span(values))).value();
  }

  template <typename T>
  std::vector<T> read(std::size_t count) {
    std::vector<T> values(count);
    device_.read(memory_, std::as_writable_bytes(std::span(values))).value();
    return values;
  }

 private:
  measure::GpuDevice& device_;
  measure::GpuDevice::Memory memory_;
};

inline std::vector<float> random_floats(base::Random& random, std::size_t count) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(2 * random.uniform() - 1);
  return values;
}

}  // namespace kernelscape::testing
