#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/measure/gpu/gpu_target.h"
#include "core/measure/gpu/opencl_api.h"

namespace kernelscape::measure {
namespace {

// Attributes of the extensions cl_nv_device_attribute_query and cl_amd_device_attribute_query.
constexpr cl_device_info nvidia_registers_per_block = 0x4002;
constexpr cl_device_info nvidia_warp_size = 0x4003;
constexpr cl_device_info amd_wavefront_width = 0x4043;

template <typename Number>
std::int64_t count(cl_device_id device, cl_device_info name) {
  return static_cast<std::int64_t>(opencl_number<Number>(device, name));
}

/** Returns "OpenCL C 1.2" for "OpenCL C 1.2 PoCL": the rest is vendor-specific. */
std::string language_version(const std::string& text) {
  std::vector<std::string> words = base::split_text(text, ' ');
  if (words.size() > 3) words.resize(3);
  return base::join(words, " ");
}

std::vector<std::string> build_flags(cl_device_id device, const std::string& language) {
  std::vector<std::string> flags;
  if (language != "OpenCL C 1.0" && language != "OpenCL C 1.1") flags.emplace_back("-cl-std=CL1.2");
  // Options that add registers and spills to the build log.
  if (has_opencl_extension(device, "cl_nv_compiler_options")) flags.emplace_back("-cl-nv-verbose");
  return flags;
}

void describe_limits(cl_device_id device, schedule::TargetDescription& target) {
  std::array<std::size_t, 3> sizes{};
  const auto dimensions = opencl_number<cl_uint>(device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS);
  if (dimensions == sizes.size())
    clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes.data(), nullptr);
  target.block_x = static_cast<std::int64_t>(sizes[0]);
  target.block_y = static_cast<std::int64_t>(sizes[1]);
  target.block_z = static_cast<std::int64_t>(sizes[2]);
  target.threads_per_block = count<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  target.shared_bytes = count<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
  // The memory that a CPU has for OpenCL changes all the time: it does not describe the device.
  if (!target.host_device) target.memory_bytes = count<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
}

/** Sets the properties that vendor extensions report in addition to the standard. */
void describe_vendor_attributes(cl_device_id device, schedule::TargetDescription& target) {
  if (has_opencl_extension(device, "cl_nv_device_attribute_query")) {
    target.warp_threads = count<cl_uint>(device, nvidia_warp_size);
    target.registers_per_multiprocessor = count<cl_uint>(device, nvidia_registers_per_block);
  } else if (has_opencl_extension(device, "cl_amd_device_attribute_query")) {
    target.warp_threads = count<cl_uint>(device, amd_wavefront_width);
  }
}

schedule::TargetDescription describe_device(const OpenClDevice& device) {
  schedule::TargetDescription target;
  target.name = fmt::format("opencl:{}", device.number);
  target.kind = schedule::TargetKind::OpenCl;
  target.device = opencl_text(device.id, CL_DEVICE_NAME);
  target.isa = language_version(opencl_text(device.id, CL_DEVICE_OPENCL_C_VERSION));
  target.vector_bits =
      32 * std::max<std::int64_t>(1, count<cl_uint>(device.id, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT));
  target.vector_registers = 1;  // the device's compiler handles them
  target.cores = count<cl_uint>(device.id, CL_DEVICE_MAX_COMPUTE_UNITS);
  target.l2_bytes = count<cl_ulong>(device.id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  target.compiler = opencl_text(device.platform, CL_PLATFORM_NAME);
  target.compiler_version = opencl_text(device.platform, CL_PLATFORM_VERSION);
  target.driver_version = fmt::format("{} {}", target.compiler, opencl_text(device.id, CL_DRIVER_VERSION));
  target.flags = build_flags(device.id, target.isa);
  const auto type = opencl_number<cl_device_type>(device.id, CL_DEVICE_TYPE);
  target.host_device = (type & CL_DEVICE_TYPE_CPU) != 0;
  describe_limits(device.id, target);
  describe_vendor_attributes(device.id, target);
  return target;
}

}  // namespace

Result<std::vector<ProbedDevice>> list_opencl_devices() {
  const auto found = TRY(find_opencl_devices());
  std::vector<ProbedDevice> devices;
  std::vector<std::string> problems;
  for (const OpenClDevice& device : found) {
    if (device.problem.empty()) {
      devices.push_back({.target = describe_device(device)});
    } else {
      problems.push_back(fmt::format("opencl:{} ({}): {}", device.number,
                                     opencl_text(device.id, CL_DEVICE_NAME), device.problem));
    }
  }
  if (!devices.empty()) return devices;
  return fail(ErrorCode::Environment,
              fmt::format("no OpenCL device is usable: {}", base::join(problems, "; ")),
              "install the driver of the GPU's vendor with its OpenCL compiler, or pocl-opencl-icd");
}

}  // namespace kernelscape::measure
