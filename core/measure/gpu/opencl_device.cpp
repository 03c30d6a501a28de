#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "core/measure/gpu/gpu_device.h"
#include "core/measure/gpu/opencl_api.h"
#include "core/measure/worker/message_text.h"

namespace kernelscape::measure {
namespace {

using OpenClMemory = OpenClHandle<cl_mem, clReleaseMemObject>;

constexpr std::size_t min_flushed_bytes = 64 << 20;

/** When a call failed: the error of an earlier kernel is returned by a later call that waits for it. */
enum class Phase { Called, Waited };

/**
 * Classifies a failed call. A kernel's fault is reported as CL_OUT_OF_RESOURCES or a vendor-specific error
 * when waiting for its end, and the queue is unusable then. The same code from a launch that never began
 * means that the kernel needs more resources than the device has.
 */
std::unexpected<DeviceError> failed_call(const std::string& what, cl_int code, Phase phase = Phase::Called) {
  const bool gone = code == CL_DEVICE_NOT_AVAILABLE || code == CL_INVALID_DEVICE;
  const bool memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY ||
                      code == CL_INVALID_BUFFER_SIZE;
  const bool broken = code == CL_INVALID_CONTEXT || code == CL_INVALID_COMMAND_QUEUE || code <= -1000;
  return std::unexpected(DeviceError{.message = fmt::format("{}: {}", what, opencl_error_name(code)),
                                     .context_lost = gone || broken || (phase == Phase::Waited && !memory),
                                     .out_of_memory = memory,
                                     .device_gone = gone});
}

cl_mem memory_object(GpuDevice::Memory memory) { return std::bit_cast<cl_mem>(memory); }

class OpenClGpuDevice final : public GpuDevice {
 public:
  OpenClGpuDevice(OpenClDevice device, OpenClContext context, OpenClQueue queue)
      : device_(std::move(device)), context_(std::move(context)), queue_(std::move(queue)) {}

  DeviceResult<Memory> allocate(std::size_t bytes) override {
    auto memory = TRY(create(bytes));
    return std::bit_cast<Memory>(memory.detach());
  }

  void release(Memory memory) override { clReleaseMemObject(memory_object(memory)); }

  DeviceResult<void> write(Memory memory, std::span<const std::byte> bytes) override {
    const cl_int code = clEnqueueWriteBuffer(queue_.get(), memory_object(memory), CL_TRUE, 0, bytes.size(),
                                             bytes.data(), 0, nullptr, nullptr);
    if (code != CL_SUCCESS) return failed_call("memory of the device can't be written", code, Phase::Waited);
    return {};
  }

  DeviceResult<void> read(Memory memory, std::span<std::byte> bytes) override {
    const cl_int code = clEnqueueReadBuffer(queue_.get(), memory_object(memory), CL_TRUE, 0, bytes.size(),
                                            bytes.data(), 0, nullptr, nullptr);
    if (code != CL_SUCCESS) return failed_call("memory of the device can't be read", code, Phase::Waited);
    return {};
  }

  DeviceResult<void> load(const std::string& artefact, const std::string& entry) override {
    kernel_ = {};
    program_ = {};
    const auto* binary = reinterpret_cast<const unsigned char*>(artefact.data());
    const std::size_t bytes = artefact.size();
    cl_int status = CL_SUCCESS;
    cl_int code = CL_SUCCESS;
    program_ = OpenClProgram(
        clCreateProgramWithBinary(context_.get(), 1, &device_.id, &bytes, &binary, &status, &code));
    if (code != CL_SUCCESS || status != CL_SUCCESS)
      return failed_call("the program's binary does not load", code != CL_SUCCESS ? code : status);
    code = clBuildProgram(program_.get(), 1, &device_.id, "", nullptr, nullptr);
    if (code != CL_SUCCESS) {
      const std::string log = opencl_build_log(program_.get(), device_.id);
      return failed_call(clean_message("the program's binary can't be built for the device\n" + log), code);
    }
    kernel_ = OpenClKernel(clCreateKernel(program_.get(), entry.c_str(), &code));
    if (code != CL_SUCCESS) return failed_call(fmt::format("the binary has no kernel `{}`", entry), code);
    return {};
  }

  DeviceResult<void> copy(Memory to, Memory from, std::size_t bytes) override {
    const cl_int code = clEnqueueCopyBuffer(queue_.get(), memory_object(from), memory_object(to), 0, 0, bytes,
                                            0, nullptr, nullptr);
    if (code != CL_SUCCESS) return failed_call("memory of the device can't be copied", code, Phase::Waited);
    return {};
  }

  DeviceResult<bool> write_constant(const std::string&, std::span<const std::byte>) override { return false; }

  DeviceResult<double> launch(const codegen::Launch& launch, std::span<const LaunchArgument> arguments,
                              std::int64_t calls) override {
    TRY(set_arguments(arguments));
    OpenClEvent first;
    OpenClEvent last;
    for (std::int64_t i = 0; i < calls; ++i) {
      OpenClEvent* const watched = i == 0 ? &first : i + 1 == calls ? &last : nullptr;
      // After the first call, an error may come from an earlier launch.
      const Phase phase = i == 0 ? Phase::Called : Phase::Waited;
      TRY(enqueue(launch, watched, phase));
    }
    const cl_int code = clFinish(queue_.get());
    if (code != CL_SUCCESS) return failed_call("the kernel failed", code, Phase::Waited);
    return seconds_between(first, calls > 1 ? last : first);
  }

  DeviceResult<void> flush_cache() override {
    if (!flushed_) flushed_ = TRY(create(flushed_bytes()));
    // Another value each time, so that no write is skipped as unchanged.
    const cl_uint value = ++flushes_;
    const cl_int code = clEnqueueFillBuffer(queue_.get(), flushed_.get(), &value, sizeof value, 0,
                                            flushed_bytes(), 0, nullptr, nullptr);
    if (code != CL_SUCCESS) return failed_call("the device's cache can't be flushed", code);
    const cl_int finished = clFinish(queue_.get());
    if (finished != CL_SUCCESS)
      return failed_call("the device's cache can't be flushed", finished, Phase::Waited);
    return {};
  }

 private:
  DeviceResult<OpenClMemory> create(std::size_t bytes) {
    cl_int code = CL_SUCCESS;
    OpenClMemory memory(clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, bytes, nullptr, &code));
    if (code != CL_SUCCESS)
      return failed_call(fmt::format("{} bytes can't be allocated on the device", bytes), code);
    return memory;
  }

  cl_int set_argument(cl_uint position, const LaunchArgument& argument) {
    switch (argument.kind) {
      case LaunchArgument::Kind::Memory:
        break;
      case LaunchArgument::Kind::Value:
        return clSetKernelArg(kernel_.get(), position, argument.value.size(), argument.value.data());
      case LaunchArgument::Kind::Local:
        return clSetKernelArg(kernel_.get(), position, static_cast<std::size_t>(argument.local_bytes),
                              nullptr);
    }
    const cl_mem memory = memory_object(argument.memory);
    // NOLINTNEXTLINE(bugprone-*): OpenCL's interface takes the handle's bytes
    return clSetKernelArg(kernel_.get(), position, sizeof memory, &memory);
  }

  DeviceResult<void> set_arguments(std::span<const LaunchArgument> arguments) {
    cl_uint wanted = 0;
    clGetKernelInfo(kernel_.get(), CL_KERNEL_NUM_ARGS, sizeof wanted, &wanted, nullptr);
    if (wanted != arguments.size()) {
      return std::unexpected(DeviceError{
          .message = fmt::format("the kernel takes {} arguments, not {}", wanted, arguments.size())});
    }
    for (cl_uint i = 0; i < wanted; ++i) {
      const cl_int code = set_argument(i, arguments[i]);
      if (code != CL_SUCCESS) return failed_call(fmt::format("argument {} can't be set", i), code);
    }
    return {};
  }

  DeviceResult<void> enqueue(const codegen::Launch& launch, OpenClEvent* watched, Phase phase) {
    std::array<std::size_t, 3> global{};
    std::array<std::size_t, 3> local{};
    for (std::size_t i = 0; i < global.size(); ++i) {
      local[i] = static_cast<std::size_t>(launch.block[i]);
      global[i] = static_cast<std::size_t>(launch.grid[i] * launch.block[i]);
    }
    cl_event event = nullptr;
    const cl_int code =
        clEnqueueNDRangeKernel(queue_.get(), kernel_.get(), 3, nullptr, global.data(), local.data(), 0,
                               nullptr, watched != nullptr ? &event : nullptr);
    if (watched != nullptr) *watched = OpenClEvent(event);
    if (code != CL_SUCCESS) return failed_call("the kernel can't be launched", code, phase);
    return {};
  }

  static DeviceResult<double> seconds_between(const OpenClEvent& first, const OpenClEvent& last) {
    for (const OpenClEvent* event : {&first, &last}) {
      cl_int status = CL_COMPLETE;
      clGetEventInfo(event->get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
      if (status < 0) return failed_call("the kernel failed", status, Phase::Waited);
    }
    cl_ulong start = 0;
    cl_ulong end = 0;
    cl_int code =
        clGetEventProfilingInfo(first.get(), CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr);
    if (code == CL_SUCCESS)
      code = clGetEventProfilingInfo(last.get(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr);
    if (code != CL_SUCCESS) return failed_call("the device does not report the time of the kernel", code);
    return end > start ? static_cast<double>(end - start) * 1e-9 : 0.0;
  }

  /** Returns twice the size of the last cache, so that all data of a kernel are evicted. */
  std::size_t flushed_bytes() const {
    const auto cache = opencl_number<cl_ulong>(device_.id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    const auto most = opencl_number<cl_ulong>(device_.id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    const auto wanted = std::max<cl_ulong>(2 * cache, min_flushed_bytes);
    const auto bytes = most > 0 ? std::min(wanted, most) : wanted;
    return static_cast<std::size_t>(bytes) / sizeof(cl_uint) * sizeof(cl_uint);
  }

  OpenClDevice device_;
  OpenClContext context_;
  OpenClQueue queue_;
  OpenClProgram program_;
  OpenClKernel kernel_;
  OpenClMemory flushed_;
  cl_uint flushes_ = 0;
};

}  // namespace

Result<std::unique_ptr<GpuDevice>> open_opencl_device(int number) {
  auto device = TRY(find_opencl_device(number));
  auto context = TRY(make_opencl_context(device));
  cl_int code = CL_SUCCESS;
  OpenClQueue queue(clCreateCommandQueue(context.get(), device.id, CL_QUEUE_PROFILING_ENABLE, &code));
  if (code != CL_SUCCESS) {
    return fail(
        ErrorCode::Environment,
        fmt::format("no queue with timing can be created on opencl:{}: {}", number, opencl_error_name(code)),
        "restart the device's driver");
  }
  return std::make_unique<OpenClGpuDevice>(std::move(device), std::move(context), std::move(queue));
}

}  // namespace kernelscape::measure
