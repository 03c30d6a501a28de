#include "core/measure/gpu/cuda_api.h"

#include <fmt/format.h>

#include <cstdlib>

#include "core/measure/gpu/cuda_libraries.h"

namespace kernelscape::measure::cuda {
namespace {

/** Binds functions to symbols and remembers the first missing one. */
class Binder {
 public:
  explicit Binder(const OpenedLibrary& library) : library_(library) {}
  template <typename Function>
  void operator()(const char* symbol, Function*& function) {
    if (!library_.bind(symbol, function) && missing_.empty()) missing_ = symbol;
  }
  /** Returns the function that the library lacks; empty: it has all. */
  const std::string& missing() const { return missing_; }

 private:
  const OpenedLibrary& library_;
  std::string missing_;
};

std::string bind_driver(const OpenedLibrary& library, DriverFunctions& functions) {
  Binder bind(library);
  bind("cuInit", functions.init);
  bind("cuDriverGetVersion", functions.driver_version);
  bind("cuGetErrorName", functions.error_name);
  bind("cuGetErrorString", functions.error_string);
  bind("cuDeviceGetCount", functions.device_count);
  bind("cuDeviceGet", functions.device);
  bind("cuDeviceGetName", functions.device_name);
  bind("cuDeviceGetPCIBusId", functions.device_bus_id);
  bind("cuDeviceTotalMem_v2", functions.device_memory);
  bind("cuDeviceGetAttribute", functions.device_attribute);
  bind("cuDevicePrimaryCtxSetFlags_v2", functions.context_flags);
  bind("cuDevicePrimaryCtxRetain", functions.context_retain);
  bind("cuDevicePrimaryCtxRelease_v2", functions.context_release);
  bind("cuCtxSetCurrent", functions.context_set_current);
  bind("cuMemGetInfo_v2", functions.memory_info);
  bind("cuMemAlloc_v2", functions.memory_allocate);
  bind("cuMemFree_v2", functions.memory_free);
  bind("cuMemcpyHtoDAsync_v2", functions.copy_to_device);
  bind("cuMemcpyDtoDAsync_v2", functions.copy_on_device);
  bind("cuMemcpyDtoHAsync_v2", functions.copy_to_host);
  bind("cuMemsetD8Async", functions.memory_set);
  bind("cuModuleLoadData", functions.module_load);
  bind("cuModuleUnload", functions.module_unload);
  bind("cuModuleGetFunction", functions.module_function);
  bind("cuModuleGetGlobal_v2", functions.module_global);
  bind("cuFuncSetAttribute", functions.function_set_attribute);
  bind("cuLaunchKernel", functions.launch);
  bind("cuStreamCreate", functions.stream_create);
  bind("cuStreamDestroy_v2", functions.stream_destroy);
  bind("cuStreamSynchronize", functions.stream_synchronize);
  bind("cuEventCreate", functions.event_create);
  bind("cuEventDestroy_v2", functions.event_destroy);
  bind("cuEventRecord", functions.event_record);
  bind("cuEventSynchronize", functions.event_synchronize);
  bind("cuEventElapsedTime", functions.event_elapsed);
  return bind.missing();
}

std::string bind_compiler(const OpenedLibrary& library, CompilerFunctions& functions) {
  Binder bind(library);
  bind("nvrtcVersion", functions.version);
  bind("nvrtcGetErrorString", functions.error_string);
  bind("nvrtcGetNumSupportedArchs", functions.architecture_count);
  bind("nvrtcGetSupportedArchs", functions.architectures);
  bind("nvrtcCreateProgram", functions.create);
  bind("nvrtcDestroyProgram", functions.destroy);
  bind("nvrtcAddNameExpression", functions.add_name);
  bind("nvrtcGetLoweredName", functions.lowered_name);
  bind("nvrtcCompileProgram", functions.compile);
  bind("nvrtcGetProgramLogSize", functions.log_size);
  bind("nvrtcGetProgramLog", functions.log);
  bind("nvrtcGetCUBINSize", functions.cubin_size);
  bind("nvrtcGetCUBIN", functions.cubin);
  bind("nvrtcGetPTXSize", functions.ptx_size);
  bind("nvrtcGetPTX", functions.ptx);
  return bind.missing();
}

std::string no_device_hint() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr) return fmt::format("CUDA_VISIBLE_DEVICES=\"{}\" hides devices: unset it", visible);
  return "check whether nvidia-smi lists one; a container has to be started with the GPU";
}

/** Returns the error of a driver that can't be initialised: its cause and the remedy. */
std::unexpected<Error> initialisation_error(const Driver& driver, DriverCode code) {
  const std::string words = describe(driver.functions, code);
  switch (code) {
    case DriverCode::NoDevice:
      return fail(ErrorCode::Environment, fmt::format("the NVIDIA driver finds no GPU: {}", words),
                  no_device_hint());
    case DriverCode::StubLibrary:
      return fail(ErrorCode::Environment, fmt::format("{} is a stub for linking, not a driver", driver.path),
                  "install NVIDIA's driver, or set KERNELSCAPE_LIBCUDA to the path of its libcuda.so.1");
    case DriverCode::RequiresNewerDriver:
    case DriverCode::SystemDriverMismatch:
    case DriverCode::CompatibilityNotSupported:
      return fail(
          ErrorCode::Environment,
          fmt::format("the NVIDIA driver is too old for, or does not match, {}: {}", driver.path, words),
          "update the driver and restart the machine, or set KERNELSCAPE_LIBCUDA to the path of the driver's "
          "own libcuda.so.1");
    case DriverCode::SystemNotReady:
      return fail(ErrorCode::Environment, fmt::format("the NVIDIA driver is not ready: {}", words),
                  "start its services (nvidia-fabricmanager, nvidia-persistenced), or wait for them");
    default:
      return fail(ErrorCode::Environment,
                  fmt::format("the NVIDIA driver ({}) can't be initialised: {}", driver.path, words),
                  "check the output of nvidia-smi; the driver may have to be reinstalled");
  }
}

/** Returns true for errors after which every later call in the process fails (CUDA driver API, CUresult). */
bool loses_context(DriverCode code) {
  switch (code) {
    case DriverCode::Deinitialized:
    case DriverCode::EccUncorrectable:
    case DriverCode::NvlinkUncorrectable:
    case DriverCode::Contained:
    case DriverCode::IllegalAddress:
    case DriverCode::LaunchTimeout:
    case DriverCode::ContextIsDestroyed:
    case DriverCode::Assert:
    case DriverCode::HardwareStackError:
    case DriverCode::IllegalInstruction:
    case DriverCode::MisalignedAddress:
    case DriverCode::InvalidAddressSpace:
    case DriverCode::InvalidProgramCounter:
    case DriverCode::LaunchFailed:
    case DriverCode::TensorMemoryLeak:
    case DriverCode::Unknown:
      return true;
    default:
      return false;
  }
}

/**
 * Returns true for errors that no kernel can cause: the device or its driver is gone, or the hardware fails.
 */
bool is_device_gone(DriverCode code) {
  switch (code) {
    case DriverCode::Deinitialized:
    case DriverCode::NotInitialized:
    case DriverCode::DeviceUnavailable:
    case DriverCode::NoDevice:
    case DriverCode::InvalidDevice:
    case DriverCode::EccUncorrectable:
    case DriverCode::NvlinkUncorrectable:
    case DriverCode::SystemNotReady:
    case DriverCode::SystemDriverMismatch:
    case DriverCode::CompatibilityNotSupported:
      return true;
    default:
      return code >= DriverCode::MpsConnectionFailed && code <= DriverCode::MpsClientTerminated;
  }
}

}  // namespace

Result<Driver> open_driver() {
  const auto library = TRY(measure::open_runtime_library(measure::cuda_driver_library()));
  Driver driver{.functions = {}, .path = library.path()};
  if (const std::string missing = bind_driver(library, driver.functions); !missing.empty()) {
    return fail(ErrorCode::Environment,
                fmt::format("{} has no {}: the driver is too old", driver.path, missing),
                "update NVIDIA's driver to a version for CUDA 11 or later");
  }
  if (const DriverCode code = driver.functions.init(0); code != DriverCode::Success) {
    return initialisation_error(driver, code);
  }
  driver.functions.driver_version(&driver.version);
  return driver;
}

std::string describe(const DriverFunctions& functions, DriverCode code) {
  const char* name = nullptr;
  const char* text = nullptr;
  const bool known = functions.error_name(code, &name) == DriverCode::Success && name != nullptr &&
                     functions.error_string(code, &text) == DriverCode::Success && text != nullptr;
  return known ? fmt::format("{} ({})", text, name)
               : fmt::format("an error for which this driver has no name ({})", static_cast<int>(code));
}

DeviceError device_error(const DriverFunctions& functions, DriverCode code, const std::string& call) {
  const bool gone = is_device_gone(code);
  return {.message = fmt::format("{}: {}", call, describe(functions, code)),
          .context_lost = gone || loses_context(code),
          .out_of_memory = code == DriverCode::OutOfMemory,
          .device_gone = gone};
}

Result<Compiler> open_compiler() {
  const auto library = TRY(measure::open_runtime_library(measure::nvrtc_library()));
  Compiler compiler{.functions = {}, .path = library.path()};
  const std::string missing = bind_compiler(library, compiler.functions);
  if (!missing.empty() ||
      compiler.functions.version(&compiler.major, &compiler.minor) != CompilerCode::Success) {
    return fail(
        ErrorCode::Environment,
        fmt::format("{} is not an NVRTC that makes cubins (it lacks {})", compiler.path,
                    missing.empty() ? "a version" : missing),
        "install a CUDA toolkit of 11.2 or later, or set KERNELSCAPE_NVRTC to the path of its libnvrtc.so");
  }
  return compiler;
}

}  // namespace kernelscape::measure::cuda
