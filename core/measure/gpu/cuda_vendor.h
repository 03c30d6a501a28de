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

namespace kernelscape::measure {

/**
 * A CUDA device for one of NVIDIA's libraries. Its primary context is current, as the libraries expect, and
 * work on the default stream is timed by events. Failures in use are thrown.
 */
class CudaVendorDevice {
 public:
  /**
   * Opens CUDA device `number` in this process. Returns Environment if there is no driver, no such device, or
   * events can't be made.
   */
  static Result<std::unique_ptr<CudaVendorDevice>> open(int number);
  CudaVendorDevice(const CudaVendorDevice&) = delete;
  CudaVendorDevice& operator=(const CudaVendorDevice&) = delete;
  ~CudaVendorDevice();

  /** Allocates memory that stays until the device is closed. */
  void* allocate(std::size_t bytes);
  struct Workspace {
    void* data = nullptr;
    std::size_t bytes = 0;
  };
  /**
   * Allocates workspace for a library: at most a quarter of the free memory; less, or none, if that can't be
   * allocated.
   */
  Workspace allocate_workspace(std::size_t max_bytes);

  /** Uploads a tensor whose row-major element i is stored at offsets[i]. */
  void* upload(task::ScalarType type, std::span<const double> values, std::span<const std::int64_t> offsets);
  /** Reads a tensor back into row-major order: element i from offsets[i]; waits for the device. */
  std::vector<double> download(task::ScalarType type, void* memory, std::span<const std::int64_t> offsets);

  /** Enqueues `calls` calls, waits for them, and returns the device's seconds for all of them. */
  double time(std::int64_t calls, const std::function<void()>& call);

  /**
   * Says that the host, not the device, limits the calls that were timed last: ", limited by 30.1 us of host
   * time per call". Empty otherwise. The time of such a call says little about the library's kernels.
   */
  std::string host_limit_text() const;

  /** Overwrites the L2 cache, so that the next call starts with a cold cache. */
  void flush_cache();

 private:
  CudaVendorDevice(std::unique_ptr<GpuDevice> device, cuda::Driver driver);
  void check(cuda::DriverCode code, const char* call) const;

  std::unique_ptr<GpuDevice> device_;
  cuda::Driver driver_;
  std::vector<GpuDevice::Memory> memories_;
  cuda::Event start_ = nullptr;
  cuda::Event end_ = nullptr;
  double host_seconds_ = 0;    ///< host time to enqueue one of the calls that were timed last
  double device_seconds_ = 0;  ///< device time of one of these calls
};

/** Throws the error text of `library` for a failed call; 0 means success in every library. */
void check_library_call(int status, const std::string& library, const char* call,
                        const char* (*words)(int status));

/**
 * Returns the element type of the multiplication of a task: f32, or f16 with f32 results. For other types,
 * the error names the library.
 */
Result<task::ScalarType> vendor_element_type(const task::TensorOperator& op, const std::string& library);

/** Returns the offsets of a row-major tensor's elements in row-major order. */
std::vector<std::int64_t> row_major_offsets(std::span<const std::int64_t> shape);
/**
 * Returns the offsets of NCHW elements stored as NHWC, that is with dimension 1 moved behind all others; the
 * tensor has two or more dimensions.
 */
std::vector<std::int64_t> channels_last_offsets(std::span<const std::int64_t> shape);

}  // namespace kernelscape::measure
