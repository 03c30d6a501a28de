#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/gpu/cuda_api.h"
#include "core/measure/gpu/cuda_libraries.h"
#include "core/measure/gpu/gpu_device.h"
#include "core/task/task.h"

namespace kernelscape {

/**
 * A CUDA device for one of NVIDIA's libraries: its primary context is current, as the libraries expect, and
 * what they enqueue on the default stream is timed by events. What fails in use is thrown.
 */
class CudaVendorDevice {
 public:
  /** CUDA device `number`, opened by this process. Environment: no driver, no such device, no events. */
  static Result<std::unique_ptr<CudaVendorDevice>> open(int number);
  CudaVendorDevice(const CudaVendorDevice&) = delete;
  CudaVendorDevice& operator=(const CudaVendorDevice&) = delete;
  ~CudaVendorDevice();

  /** Memory that stays until the device is closed. */
  void* allocate(std::size_t bytes);
  struct Workspace {
    void* data = nullptr;
    std::size_t bytes = 0;
  };
  /** The same for a library's own use: at most a quarter of what is free, less or none where that is not had.
   */
  Workspace allocate_workspace(std::size_t most_bytes);

  /** A tensor whose row-major element i lies at offsets[i]. */
  void* upload(ScalarType type, std::span<const double> values, std::span<const std::int64_t> offsets);
  /** Reads a tensor back into row-major order: element i from offsets[i]; waits for the device. */
  std::vector<double> download(ScalarType type, void* memory, std::span<const std::int64_t> offsets);

  /** Enqueues `calls` calls, waits for them, and returns the device's seconds for all of them. */
  double time(std::int64_t calls, const std::function<void()>& call);

  /**
   * Says that the host, not the device, limits the calls that were timed last: ", limited by 30.1 us of host
   * time per call". Empty otherwise. The time of such a call says little about the library's kernels.
   */
  std::string host_limit_text() const;

  /** Overwrites the L2 cache, so that the next call finds it cold. */
  void flush_cache();

 private:
  CudaVendorDevice(std::unique_ptr<GpuDevice> device, cuda::Driver driver);
  void check(cuda::DriverCode code, const char* call) const;

  std::unique_ptr<GpuDevice> device_;
  cuda::Driver driver_;
  std::vector<GpuDevice::Memory> memories_;
  cuda::Event start_ = nullptr;
  cuda::Event end_ = nullptr;
  double host_seconds_ = 0;    ///< to enqueue a call that was timed last
  double device_seconds_ = 0;  ///< of such a call
};

/** Throws `library`'s own words for a failed call; 0 is every library's success. */
void check_library_call(int status, const std::string& library, const char* call,
                        const char* (*words)(int status));

/** Whether a task multiplies what these libraries multiply: f32, or f16 into f32. The error names the
 * library. */
Result<ScalarType> vendor_element_type(const TensorOperator& op, const std::string& library);

/** Offsets of a row-major tensor's elements as they are, and with dimension 1 moved behind all others. */
std::vector<std::int64_t> row_major_offsets(std::span<const std::int64_t> shape);
/** The second of these: NCHW's elements in memory as NHWC; two or more dimensions. */
std::vector<std::int64_t> channels_last_offsets(std::span<const std::int64_t> shape);

}  // namespace kernelscape
