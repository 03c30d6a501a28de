#include "core/measure/gpu/opencl_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "core/base/text.h"
#include "core/measure/cpu/compiler.h"

namespace kernelscape::measure {
namespace {

constexpr cl_int platform_not_found = -1001;  // error code of the extension cl_khr_icd
constexpr cl_int nvidia_illegal_access = -9999;

struct NamedError {
  cl_int code;
  const char* name;
};

#define KERNELSCAPE_NAMED(name) \
  NamedError { name, #name }
constexpr std::array named_errors{
    KERNELSCAPE_NAMED(CL_SUCCESS),
    KERNELSCAPE_NAMED(CL_DEVICE_NOT_FOUND),
    KERNELSCAPE_NAMED(CL_DEVICE_NOT_AVAILABLE),
    KERNELSCAPE_NAMED(CL_COMPILER_NOT_AVAILABLE),
    KERNELSCAPE_NAMED(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    KERNELSCAPE_NAMED(CL_OUT_OF_RESOURCES),
    KERNELSCAPE_NAMED(CL_OUT_OF_HOST_MEMORY),
    KERNELSCAPE_NAMED(CL_PROFILING_INFO_NOT_AVAILABLE),
    KERNELSCAPE_NAMED(CL_MEM_COPY_OVERLAP),
    KERNELSCAPE_NAMED(CL_BUILD_PROGRAM_FAILURE),
    KERNELSCAPE_NAMED(CL_MAP_FAILURE),
    KERNELSCAPE_NAMED(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    KERNELSCAPE_NAMED(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    KERNELSCAPE_NAMED(CL_COMPILE_PROGRAM_FAILURE),
    KERNELSCAPE_NAMED(CL_LINKER_NOT_AVAILABLE),
    KERNELSCAPE_NAMED(CL_LINK_PROGRAM_FAILURE),
    KERNELSCAPE_NAMED(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    KERNELSCAPE_NAMED(CL_INVALID_VALUE),
    KERNELSCAPE_NAMED(CL_INVALID_DEVICE_TYPE),
    KERNELSCAPE_NAMED(CL_INVALID_PLATFORM),
    KERNELSCAPE_NAMED(CL_INVALID_DEVICE),
    KERNELSCAPE_NAMED(CL_INVALID_CONTEXT),
    KERNELSCAPE_NAMED(CL_INVALID_QUEUE_PROPERTIES),
    KERNELSCAPE_NAMED(CL_INVALID_COMMAND_QUEUE),
    KERNELSCAPE_NAMED(CL_INVALID_HOST_PTR),
    KERNELSCAPE_NAMED(CL_INVALID_MEM_OBJECT),
    KERNELSCAPE_NAMED(CL_INVALID_BINARY),
    KERNELSCAPE_NAMED(CL_INVALID_BUILD_OPTIONS),
    KERNELSCAPE_NAMED(CL_INVALID_PROGRAM),
    KERNELSCAPE_NAMED(CL_INVALID_PROGRAM_EXECUTABLE),
    KERNELSCAPE_NAMED(CL_INVALID_KERNEL_NAME),
    KERNELSCAPE_NAMED(CL_INVALID_KERNEL_DEFINITION),
    KERNELSCAPE_NAMED(CL_INVALID_KERNEL),
    KERNELSCAPE_NAMED(CL_INVALID_ARG_INDEX),
    KERNELSCAPE_NAMED(CL_INVALID_ARG_VALUE),
    KERNELSCAPE_NAMED(CL_INVALID_ARG_SIZE),
    KERNELSCAPE_NAMED(CL_INVALID_KERNEL_ARGS),
    KERNELSCAPE_NAMED(CL_INVALID_WORK_DIMENSION),
    KERNELSCAPE_NAMED(CL_INVALID_WORK_GROUP_SIZE),
    KERNELSCAPE_NAMED(CL_INVALID_WORK_ITEM_SIZE),
    KERNELSCAPE_NAMED(CL_INVALID_GLOBAL_OFFSET),
    KERNELSCAPE_NAMED(CL_INVALID_EVENT_WAIT_LIST),
    KERNELSCAPE_NAMED(CL_INVALID_EVENT),
    KERNELSCAPE_NAMED(CL_INVALID_OPERATION),
    KERNELSCAPE_NAMED(CL_INVALID_BUFFER_SIZE),
    KERNELSCAPE_NAMED(CL_INVALID_GLOBAL_WORK_SIZE),
    KERNELSCAPE_NAMED(CL_INVALID_PROPERTY),
    KERNELSCAPE_NAMED(CL_INVALID_COMPILER_OPTIONS),
    KERNELSCAPE_NAMED(CL_INVALID_LINKER_OPTIONS),
    KERNELSCAPE_NAMED(CL_INVALID_DEVICE_PARTITION_COUNT),
    NamedError{platform_not_found, "CL_PLATFORM_NOT_FOUND_KHR"},
    NamedError{nvidia_illegal_access, "NVIDIA's error -9999, an illegal read or write by a kernel"},
};
#undef KERNELSCAPE_NAMED

constexpr const char* installation_hint =
    "install the driver of your GPU's vendor with its OpenCL part, or pocl-opencl-icd, which runs kernels on "
    "the "
    "CPU; `clinfo -l` lists what the loader finds";

/**
 * Returns the folder for files that platforms would write into the user's cache; it belongs to this process
 * and is removed at its end.
 */
const Result<base::TemporaryFolder>& private_folder() {
  static const Result<base::TemporaryFolder> folder = base::TemporaryFolder::make();
  return folder;
}

/**
 * Disables compiler caches, so that build times are real. Platforms read these variables at their first call.
 */
Status prepare_process() {
  const auto& folder = private_folder();
  if (!folder) return std::unexpected(folder.error());
  setenv("POCL_KERNEL_CACHE", "0", 1);
  // PoCL's binaries contain machine code for the work-group size that a kernel requires. Without this
  // setting, PoCL generates that code again at the first launch (about 0.2 s), which would count as run time.
  setenv("POCL_WORK_GROUP_SPECIALIZATION", "0", 1);
  setenv("POCL_CACHE_DIR", folder->path().c_str(), 1);
  setenv("CUDA_CACHE_DISABLE", "1", 1);            // NVIDIA
  setenv("NEO_CACHE_PERSISTENT", "0", 1);          // Intel
  setenv("AMD_COMGR_CACHE", "0", 1);               // AMD
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);  // Mesa's rusticl
  return {};
}

/** Returns the text of `query(bytes, place, needed)`, in the two steps of the API. */
template <typename Query>
std::string queried_text(const Query& query) {
  std::size_t bytes = 0;
  if (query(std::size_t{0}, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (query(bytes, text.data(), nullptr) != CL_SUCCESS) return {};
  return std::string(base::trimmed(text, std::string_view(" \t\r\n\0", 5)));
}

Error loader_error(cl_int code) {
  if (code == platform_not_found || code == CL_SUCCESS)
    return {ErrorCode::NotFound, "no OpenCL platform is installed", installation_hint};
  return {ErrorCode::Environment,
          fmt::format("OpenCL's platforms can't be listed: {}", opencl_error_name(code)),
          "reinstall the OpenCL driver; run `clinfo` for details"};
}

Result<std::vector<cl_platform_id>> list_platforms() {
  cl_uint count = 0;
  cl_int code = clGetPlatformIDs(0, nullptr, &count);
  if (code != CL_SUCCESS || count == 0) return std::unexpected(loader_error(code));
  std::vector<cl_platform_id> platforms(count);
  code = clGetPlatformIDs(count, platforms.data(), nullptr);
  if (code != CL_SUCCESS) return std::unexpected(loader_error(code));
  return platforms;
}

std::string find_problem(cl_device_id device) {
  if (opencl_number<cl_bool>(device, CL_DEVICE_AVAILABLE) == CL_FALSE)
    return "its driver reports that it is not available";
  if (opencl_number<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE) == CL_FALSE)
    return "its driver has no compiler";
  return {};
}

/** Returns the devices of a platform; an empty list if it has none, or if its driver fails. */
std::vector<cl_device_id> list_devices(cl_platform_id platform) {
  cl_uint count = 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> devices(count);
  if (count == 0 ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr) != CL_SUCCESS)
    return {};
  return devices;
}

}  // namespace

std::string opencl_error_name(cl_int code) {
  const auto* found = std::ranges::find(named_errors, code, &NamedError::code);
  return found != named_errors.end() ? found->name : fmt::format("OpenCL error {}", code);
}

Result<std::vector<OpenClDevice>> find_opencl_devices() {
  TRY(prepare_process());
  const auto platforms = TRY(list_platforms());
  std::vector<OpenClDevice> devices;
  std::vector<std::string> names;
  for (cl_platform_id platform : platforms) {
    names.push_back(opencl_text(platform, CL_PLATFORM_NAME));
    for (cl_device_id id : list_devices(platform))
      devices.push_back({static_cast<int>(devices.size()), platform, id, find_problem(id)});
  }
  if (!devices.empty()) return devices;
  return fail(ErrorCode::NotFound,
              fmt::format("{} without a device: {}",
                          names.size() == 1 ? "the OpenCL platform is" : "the OpenCL platforms are",
                          base::join(names, ", ")),
              installation_hint);
}

Result<OpenClDevice> find_opencl_device(int number) {
  const auto devices = TRY(find_opencl_devices());
  const auto found = std::ranges::find(devices, number, &OpenClDevice::number);
  if (found == devices.end()) {
    return fail(ErrorCode::NotFound, fmt::format("there is no OpenCL device {}", number),
                devices.size() == 1 ? "there is opencl:0 alone"
                                    : fmt::format("there are opencl:0 to opencl:{}", devices.size() - 1));
  }
  if (!found->problem.empty()) {
    return fail(ErrorCode::Environment,
                fmt::format("opencl:{} ({}) can't be used: {}", number,
                            opencl_text(found->id, CL_DEVICE_NAME), found->problem),
                "choose another device: `kernelscape devices` lists them");
  }
  return *found;
}

Result<OpenClContext> make_opencl_context(const OpenClDevice& device) {
  cl_int code = CL_SUCCESS;
  OpenClContext context(clCreateContext(nullptr, 1, &device.id, nullptr, nullptr, &code));
  if (code == CL_SUCCESS) return context;
  return fail(ErrorCode::Environment,
              fmt::format("no context can be created on opencl:{} ({}): {}", device.number,
                          opencl_text(device.id, CL_DEVICE_NAME), opencl_error_name(code)),
              "end other programs that use the device, or restart its driver");
}

std::string opencl_text(cl_device_id device, cl_device_info name) {
  return queried_text([&](std::size_t bytes, void* place, std::size_t* needed) {
    return clGetDeviceInfo(device, name, bytes, place, needed);
  });
}

std::string opencl_text(cl_platform_id platform, cl_platform_info name) {
  return queried_text([&](std::size_t bytes, void* place, std::size_t* needed) {
    return clGetPlatformInfo(platform, name, bytes, place, needed);
  });
}

bool has_opencl_extension(cl_device_id device, const std::string& extension) {
  const std::vector<std::string> extensions =
      base::split_text(opencl_text(device, CL_DEVICE_EXTENSIONS), ' ');
  return std::ranges::find(extensions, extension) != extensions.end();
}

std::string opencl_build_log(cl_program program, cl_device_id device) {
  std::string log = queried_text([&](std::size_t bytes, void* place, std::size_t* needed) {
    return clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, place, needed);
  });
  // PoCL names the source by a file in the private folder; without the path, equal errors have the same text
  // in every process.
  const auto& folder = private_folder();
  const std::string prefix = folder ? folder->path() + "/" : "";
  constexpr std::string_view ending = ".cl";
  for (std::size_t at = log.find(prefix); folder && at != std::string::npos; at = log.find(prefix, at + 1)) {
    const std::size_t end = log.find(ending, at);
    if (end == std::string::npos) break;
    log.replace(at, end + ending.size() - at, "kernel.cl");
  }
  return log;
}

}  // namespace kernelscape::measure
