#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/measure/gpu/cuda_api.h"
#include "core/measure/gpu/gpu_device.h"

namespace kernelscape::measure {
namespace {

using cuda::DeviceAttribute;
using cuda::DriverCode;
using cuda::DriverFunctions;

constexpr std::size_t flush_bytes_unknown = 64ULL << 20;  ///< if the driver does not report the size

/**
 * Returns true if the bytes contain everything that their ELF header refers to: the driver reads that much
 * without checking.
 */
bool is_whole_image(std::string_view image) {
  constexpr std::string_view magic = "\177ELF\2";  // 64-bit header
  Elf64_Ehdr header;
  if (!image.starts_with(magic) || image.size() < sizeof header) return false;
  std::memcpy(&header, image.data(), sizeof header);
  const auto fits = [&](std::uint64_t offset, std::uint64_t size, std::uint64_t count) {
    return offset <= image.size() && size * count <= image.size() - offset;
  };
  return fits(header.e_shoff, header.e_shentsize, header.e_shnum) &&
         fits(header.e_phoff, header.e_phentsize, header.e_phnum);
}

/** Runs the steps one after the other, until one fails. */
template <typename... Steps>
DeviceResult<void> in_turn(const Steps&... steps) {
  DeviceResult<void> result;
  static_cast<void>((... && (result = steps()).has_value()));
  return result;
}

/** A device's primary context and a stream of Kernelscape in it. */
class CudaDevice final : public GpuDevice {
 public:
  static DeviceResult<std::unique_ptr<GpuDevice>> open(cuda::Driver driver, int number) {
    std::unique_ptr<CudaDevice> device(new CudaDevice(std::move(driver)));
    TRY(device->take(number));
    return device;
  }
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  /** After a lost context all of these calls fail, without harm. */
  ~CudaDevice() override {
    if (flush_memory_ != 0) functions_.memory_free(flush_memory_);
    if (module_ != nullptr) functions_.module_unload(module_);
    for (const cuda::Event event : {start_, end_}) {
      if (event != nullptr) functions_.event_destroy(event);
    }
    if (stream_ != nullptr) functions_.stream_destroy(stream_);
    if (retained_) functions_.context_release(device_);
  }

  DeviceResult<Memory> allocate(std::size_t bytes) override {
    Memory memory = 0;
    const DriverCode code = functions_.memory_allocate(&memory, std::max<std::size_t>(bytes, 1));
    TRY(check(code, fmt::format("cuMemAlloc of {} bytes", bytes)));
    return memory;
  }

  void release(Memory memory) override { functions_.memory_free(memory); }

  DeviceResult<void> write(Memory memory, std::span<const std::byte> bytes) override {
    return in_turn(
        [&] {
          return check(functions_.copy_to_device(memory, bytes.data(), bytes.size(), stream_),
                       "cuMemcpyHtoDAsync");
        },
        [&] { return synchronize(); });
  }

  DeviceResult<void> read(Memory memory, std::span<std::byte> bytes) override {
    return in_turn(
        [&] {
          return check(functions_.copy_to_host(bytes.data(), memory, bytes.size(), stream_),
                       "cuMemcpyDtoHAsync");
        },
        [&] { return synchronize(); });
  }

  DeviceResult<void> load(const std::string& artefact, const std::string& entry) override {
    if (module_ != nullptr) functions_.module_unload(std::exchange(module_, nullptr));
    function_ = nullptr;
    if (!is_whole_image(artefact)) {
      return std::unexpected(
          DeviceError{.message = "cuModuleLoadData: the artefact is not a complete cubin"});
    }
    const DriverCode code = functions_.module_load(&module_, artefact.data());
    if (auto loaded = check(code, "cuModuleLoadData"); !loaded) return loading_error(code, loaded.error());
    return check(functions_.module_function(&function_, module_, entry.c_str()),
                 fmt::format("cuModuleGetFunction of {}", entry));
  }

  DeviceResult<void> copy(Memory to, Memory from, std::size_t bytes) override {
    return check(functions_.copy_on_device(to, from, bytes, stream_), "cuMemcpyDtoDAsync");
  }

  DeviceResult<bool> write_constant(const std::string& name, std::span<const std::byte> bytes) override {
    cuda::Address address = 0;
    std::size_t held = 0;
    const DriverCode code = functions_.module_global(&address, &held, module_, name.c_str());
    if (code == DriverCode::NotFound) return false;
    TRY(check(code, fmt::format("cuModuleGetGlobal of {}", name)));
    if (held < bytes.size()) return false;
    TRY(write(address, bytes));
    return true;
  }

  DeviceResult<double> launch(const codegen::Launch& launch, std::span<const LaunchArgument> arguments,
                              std::int64_t calls) override {
    float milliseconds = 0;
    TRY(in_turn(
        [&] { return check_launch(launch); }, [&] { return allow_shared_memory(launch); },
        [&] { return check(functions_.event_record(start_, stream_), "cuEventRecord"); },
        [&] { return launch_often(launch, arguments, calls); },
        [&] { return check(functions_.event_record(end_, stream_), "cuEventRecord"); },
        [&] { return check(functions_.event_synchronize(end_), "cuEventSynchronize"); },
        [&] { return check(functions_.event_elapsed(&milliseconds, start_, end_), "cuEventElapsedTime"); }));
    return static_cast<double>(milliseconds) / 1000;
  }

  /** Writes twice the size of the cache, so that none of its contents stay. */
  DeviceResult<void> flush_cache() override {
    if (flush_memory_ == 0) {
      int l2_bytes = 0;
      functions_.device_attribute(&l2_bytes, DeviceAttribute::L2Bytes, device_);
      flush_bytes_ = l2_bytes > 0 ? 2 * static_cast<std::size_t>(l2_bytes) : flush_bytes_unknown;
      flush_memory_ = TRY(allocate(flush_bytes_));
    }
    return in_turn(
        [&] {
          return check(functions_.memory_set(flush_memory_, 0, flush_bytes_, stream_), "cuMemsetD8Async");
        },
        [&] { return synchronize(); });
  }

 private:
  explicit CudaDevice(cuda::Driver driver) : driver_(std::move(driver)), functions_(driver_.functions) {}

  DeviceResult<void> take(int number) {
    TRY(check(functions_.device(&device_, number), "cuDeviceGet"));
    // Waiting must not use a core of the builders. A context that another owner made keeps its flags.
    functions_.context_flags(device_, cuda::schedule_blocking);
    cuda::Context context = nullptr;
    TRY(check(functions_.context_retain(&context, device_), "cuDevicePrimaryCtxRetain"));
    retained_ = true;
    return in_turn(
        [&] { return check(functions_.context_set_current(context), "cuCtxSetCurrent"); },
        [&] {
          return check(functions_.stream_create(&stream_, cuda::stream_non_blocking), "cuStreamCreate");
        },
        [&] { return check(functions_.event_create(&start_, cuda::event_blocking), "cuEventCreate"); },
        [&] { return check(functions_.event_create(&end_, cuda::event_blocking), "cuEventCreate"); });
  }

  DeviceResult<void> check(DriverCode code, std::string_view call) const {
    if (code == DriverCode::Success) return {};
    return std::unexpected(cuda::device_error(functions_, code, std::string(call)));
  }

  DeviceResult<void> synchronize() const {
    return check(functions_.stream_synchronize(stream_), "cuStreamSynchronize");
  }

  /**
   * Reports a cubin of a kind that the driver does not know as a machine fault, not as the kernel's fault.
   */
  DeviceResult<void> loading_error(DriverCode code, DeviceError error) const {
    if (code == DriverCode::NoBinaryForGpu || code == DriverCode::UnsupportedPtxVersion) {
      error.device_gone = true;
      error.message += fmt::format(
          "; the driver (CUDA {}.{}) is too old for the toolkit: update it, or set KERNELSCAPE_NVRTC to the "
          "path of an older toolkit's libnvrtc.so",
          driver_.version / 1000, driver_.version % 1000 / 10);
    }
    return std::unexpected(std::move(error));
  }

  DeviceResult<void> check_launch(const codegen::Launch& launch) const {
    const auto fits = [](std::int64_t extent) {
      return extent > 0 && extent <= std::numeric_limits<std::int32_t>::max();
    };
    const bool possible = std::ranges::all_of(launch.grid, fits) && std::ranges::all_of(launch.block, fits);
    if (function_ != nullptr && possible) return {};
    return std::unexpected(DeviceError{
        .message = function_ == nullptr ? "cuLaunchKernel: no kernel is loaded"
                                        : "cuLaunchKernel: an impossible number of blocks or threads"});
  }

  /**
   * Requests a block's dynamic shared memory if it exceeds the size that every device grants without a
   * request.
   */
  DeviceResult<void> allow_shared_memory(const codegen::Launch& launch) const {
    constexpr std::int64_t always_allowed = 48 << 10;
    if (launch.dynamic_shared_bytes <= always_allowed) return {};
    if (launch.dynamic_shared_bytes > std::numeric_limits<int>::max())
      return std::unexpected(DeviceError{.message = "cuLaunchKernel: over 2 GiB of shared memory"});
    return check(functions_.function_set_attribute(function_, cuda::FunctionAttribute::MostDynamicSharedBytes,
                                                   static_cast<int>(launch.dynamic_shared_bytes)),
                 fmt::format("cuFuncSetAttribute of {} bytes of shared memory", launch.dynamic_shared_bytes));
  }

  DeviceResult<void> launch_often(const codegen::Launch& launch, std::span<const LaunchArgument> arguments,
                                  std::int64_t calls) const {
    std::vector<LaunchArgument> values(arguments.begin(), arguments.end());
    std::vector<void*> pointers;
    for (LaunchArgument& value : values)
      pointers.push_back(value.kind == LaunchArgument::Kind::Value ? static_cast<void*>(value.value.data())
                                                                   : static_cast<void*>(&value.memory));
    const auto extent = [](std::int64_t value) { return static_cast<unsigned>(value); };
    for (std::int64_t call = 0; call < calls; ++call) {
      const DriverCode code =
          functions_.launch(function_, extent(launch.grid[0]), extent(launch.grid[1]), extent(launch.grid[2]),
                            extent(launch.block[0]), extent(launch.block[1]), extent(launch.block[2]),
                            extent(launch.dynamic_shared_bytes), stream_, pointers.data(), nullptr);
      if (code != DriverCode::Success) return check(code, "cuLaunchKernel");
    }
    return {};
  }

  cuda::Driver driver_;
  const DriverFunctions& functions_;
  cuda::DeviceNumber device_ = 0;
  bool retained_ = false;
  cuda::Stream stream_ = nullptr;
  cuda::Event start_ = nullptr;
  cuda::Event end_ = nullptr;
  cuda::Module module_ = nullptr;
  cuda::Function function_ = nullptr;
  cuda::Address flush_memory_ = 0;
  std::size_t flush_bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<GpuDevice>> open_cuda_device(int number) {
  auto driver = TRY(cuda::open_driver());
  int count = 0;
  driver.functions.device_count(&count);
  if (number < 0 || number >= count) {
    return fail(ErrorCode::NotFound, fmt::format("there is no cuda:{}", number),
                count == 0 ? "the driver finds no GPU"
                           : fmt::format("this machine has cuda:0{}",
                                         count == 1 ? "" : fmt::format(" to cuda:{}", count - 1)));
  }
  auto device = CudaDevice::open(std::move(driver), number);
  if (device) return std::move(*device);
  return fail(
      ErrorCode::Environment, fmt::format("cuda:{} can't be opened: {}", number, device.error().message),
      "check the output of nvidia-smi: another process may use the device exclusively, or all of its memory");
}

}  // namespace kernelscape::measure
