#include "core/measure/gpu/cuda_vendor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "core/measure/cpu/packing.h"

namespace kernelscape::measure {
namespace {

constexpr double seconds_per_millisecond = 1e-3;

template <typename T>
T value_or_throw(DeviceResult<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

void succeed_or_throw(const DeviceResult<void>& result) {
  if (!result) throw std::runtime_error(result.error().message);
}

std::size_t packed_size(task::ScalarType type, std::span<const std::int64_t> offsets) {
  return offsets.size() * static_cast<std::size_t>(task::bytes_of(type));
}

}  // namespace

Result<std::unique_ptr<CudaVendorDevice>> CudaVendorDevice::open(int number) {
  auto device = TRY(open_cuda_device(number));
  auto driver = TRY(cuda::open_driver());
  std::unique_ptr<CudaVendorDevice> opened(new CudaVendorDevice(std::move(device), std::move(driver)));
  const auto& functions = opened->driver_.functions;
  for (cuda::Event* event : {&opened->start_, &opened->end_}) {
    const cuda::DriverCode code = functions.event_create(event, cuda::event_blocking);
    if (code != cuda::DriverCode::Success)
      return fail(ErrorCode::Environment,
                  "cuda events for timing can't be created: " + describe(functions, code));
  }
  return opened;
}

CudaVendorDevice::CudaVendorDevice(std::unique_ptr<GpuDevice> device, cuda::Driver driver)
    : device_(std::move(device)), driver_(std::move(driver)) {}

CudaVendorDevice::~CudaVendorDevice() {
  for (const cuda::Event event : {start_, end_})
    if (event != nullptr) driver_.functions.event_destroy(event);
  for (const GpuDevice::Memory memory : memories_) device_->release(memory);
}

void CudaVendorDevice::check(cuda::DriverCode code, const char* call) const {
  if (code != cuda::DriverCode::Success)
    throw std::runtime_error(cuda::device_error(driver_.functions, code, call).message);
}

void* CudaVendorDevice::allocate(std::size_t bytes) {
  memories_.push_back(value_or_throw(device_->allocate(bytes)));
  return std::bit_cast<void*>(memories_.back());
}

CudaVendorDevice::Workspace CudaVendorDevice::allocate_workspace(std::size_t max_bytes) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  check(driver_.functions.memory_info(&free_bytes, &total_bytes), "cuMemGetInfo");
  for (std::size_t bytes = std::min(max_bytes, free_bytes / 4); bytes > 0; bytes /= 2) {
    const DeviceResult<GpuDevice::Memory> memory = device_->allocate(bytes);
    if (memory) {
      memories_.push_back(*memory);
      return {std::bit_cast<void*>(*memory), bytes};
    }
    if (!memory.error().out_of_memory) throw std::runtime_error(memory.error().message);
  }
  return {};
}

void* CudaVendorDevice::upload(task::ScalarType type, std::span<const double> values,
                               std::span<const std::int64_t> offsets) {
  std::vector<std::byte> packed(packed_size(type, offsets));
  pack(type, values, offsets, packed);
  void* memory = allocate(packed.size());
  succeed_or_throw(device_->write(memories_.back(), packed));
  return memory;
}

std::vector<double> CudaVendorDevice::download(task::ScalarType type, void* memory,
                                               std::span<const std::int64_t> offsets) {
  std::vector<std::byte> packed(packed_size(type, offsets));
  succeed_or_throw(device_->read(std::bit_cast<GpuDevice::Memory>(memory), packed));
  return unpack(type, packed, offsets);
}

double CudaVendorDevice::time(std::int64_t calls, const std::function<void()>& call) {
  // The driver's queue holds about a thousand launches; a host that has filled it waits for the device.
  const std::int64_t calls_before_queue_is_full = std::min<std::int64_t>(calls, 100);
  const cuda::Stream default_stream = nullptr;
  check(driver_.functions.event_record(start_, default_stream), "cuEventRecord");
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < calls_before_queue_is_full; ++i) call();
  const std::chrono::duration<double> host = std::chrono::steady_clock::now() - start;
  for (std::int64_t i = calls_before_queue_is_full; i < calls; ++i) call();
  check(driver_.functions.event_record(end_, default_stream), "cuEventRecord");
  check(driver_.functions.event_synchronize(end_), "waiting for the library");
  float milliseconds = 0;
  check(driver_.functions.event_elapsed(&milliseconds, start_, end_), "cuEventElapsedTime");
  const double seconds = static_cast<double>(milliseconds) * seconds_per_millisecond;
  host_seconds_ = host.count() / static_cast<double>(std::max<std::int64_t>(1, calls_before_queue_is_full));
  device_seconds_ = seconds / static_cast<double>(std::max<std::int64_t>(1, calls));
  return seconds;
}

std::string CudaVendorDevice::host_limit_text() const {
  constexpr double limiting_share = 0.8;
  constexpr double microseconds = 1e6;
  if (device_seconds_ <= 0 || host_seconds_ < limiting_share * device_seconds_) return {};
  return fmt::format(", limited by {:.3g} us of host time per call", host_seconds_ * microseconds);
}

void CudaVendorDevice::flush_cache() { succeed_or_throw(device_->flush_cache()); }

void check_library_call(int status, const std::string& library, const char* call,
                        const char* (*words)(int status)) {
  if (status == 0) return;
  const char* text = words != nullptr ? words(status) : nullptr;
  throw std::runtime_error(
      fmt::format("{}: {} gives {} ({})", library, call, text != nullptr ? text : "an error", status));
}

Result<task::ScalarType> vendor_element_type(const task::TensorOperator& op, const std::string& library) {
  const task::OperandTypes types = task::operand_types(op);
  if (types == task::OperandTypes{}) return task::ScalarType::F32;
  if (types == task::OperandTypes{task::ScalarType::F16, task::ScalarType::F16, task::ScalarType::F32,
                                  task::ScalarType::F32})
    return task::ScalarType::F16;
  return fail(ErrorCode::NotFound, library + " is compared for f32 and for f16 into f32 only");
}

std::vector<std::int64_t> row_major_offsets(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>())));
  std::iota(offsets.begin(), offsets.end(), std::int64_t{0});
  return offsets;
}

std::vector<std::int64_t> channels_last_offsets(std::span<const std::int64_t> shape) {
  const std::int64_t channels = shape[1];
  std::int64_t pixels = 1;
  for (const std::int64_t extent : shape.subspan(2)) pixels *= extent;
  std::vector<std::int64_t> offsets;
  offsets.reserve(static_cast<std::size_t>(shape[0] * channels * pixels));
  for (std::int64_t image = 0; image < shape[0]; ++image)
    for (std::int64_t channel = 0; channel < channels; ++channel)
      for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
        offsets.push_back((image * pixels + pixel) * channels + channel);
  return offsets;
}

}  // namespace kernelscape::measure
