#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/measure/gpu/cuda_api.h"
#include "core/measure/gpu/cuda_architecture.h"
#include "core/measure/gpu/gpu_target.h"

namespace kernelscape::measure {
namespace {

using cuda::DeviceAttribute;
using cuda::DriverCode;

constexpr std::int64_t registers_of_a_multiprocessor = 65'536;  ///< of every compute capability from 5.0 on
constexpr std::int64_t registers_of_a_thread = 255;
constexpr int name_bytes = 256;

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/**
 * Returns a text such as "driver 580.65.06, CUDA 13.0"; without the module's version if it is not readable.
 */
std::string driver_version_text(int version) {
  constexpr std::uintmax_t max_bytes = 1 << 16;
  const auto text = base::read_text_file("/proc/driver/nvidia/version", max_bytes);
  const std::string module_version = text ? kernel_module_version(*text) : std::string();
  const std::string cuda_version = fmt::format("CUDA {}", cuda_version_text(version));
  return module_version.empty() ? cuda_version : fmt::format("driver {}, {}", module_version, cuda_version);
}

/** Returns the part that all CUDA targets have in common: the compiler and how it is called. */
schedule::TargetDescription target_of(const std::optional<cuda::Compiler>& compiler) {
  schedule::TargetDescription target;
  target.kind = schedule::TargetKind::Cuda;
  target.vector_bits = 128;
  target.vector_registers = registers_of_a_thread;
  target.registers_per_thread = registers_of_a_thread;
  target.compiler = "NVRTC";
  if (compiler) target.compiler_version = compiler->version();
  target.flags = codegen::own_flags(codegen::Dialect::Cuda).words();
  return target;
}

std::optional<cuda::Compiler> find_compiler() {
  auto compiler = cuda::open_compiler();
  return compiler ? std::optional(std::move(*compiler)) : std::nullopt;
}

/** Returns the capabilities that NVRTC builds for. */
std::vector<int> supported_capabilities(const cuda::Compiler& compiler) {
  int count = 0;
  if (compiler.functions.architecture_count(&count) != cuda::CompilerCode::Success || count <= 0) return {};
  std::vector<int> numbers(static_cast<std::size_t>(count));
  if (compiler.functions.architectures(numbers.data()) != cuda::CompilerCode::Success) return {};
  return numbers;
}

bool can_build(const std::optional<cuda::Compiler>& compiler, int capability) {
  if (!compiler) return true;
  const std::vector<int> supported = supported_capabilities(*compiler);
  return std::ranges::find(supported, capability) != supported.end();
}

/** An integer field, and the driver's attribute with its value. */
struct AttributeField {
  DeviceAttribute attribute;
  std::int64_t schedule::TargetDescription::* field;
};

constexpr std::array attribute_fields{
    AttributeField{DeviceAttribute::ThreadsPerBlock, &schedule::TargetDescription::threads_per_block},
    AttributeField{DeviceAttribute::BlockX, &schedule::TargetDescription::block_x},
    AttributeField{DeviceAttribute::BlockY, &schedule::TargetDescription::block_y},
    AttributeField{DeviceAttribute::BlockZ, &schedule::TargetDescription::block_z},
    AttributeField{DeviceAttribute::GridX, &schedule::TargetDescription::grid_x},
    AttributeField{DeviceAttribute::GridY, &schedule::TargetDescription::grid_y},
    AttributeField{DeviceAttribute::GridZ, &schedule::TargetDescription::grid_z},
    AttributeField{DeviceAttribute::SharedBytesPerBlock, &schedule::TargetDescription::shared_bytes},
    AttributeField{DeviceAttribute::WarpThreads, &schedule::TargetDescription::warp_threads},
    AttributeField{DeviceAttribute::Multiprocessors, &schedule::TargetDescription::cores},
    AttributeField{DeviceAttribute::L2Bytes, &schedule::TargetDescription::l2_bytes},
    AttributeField{DeviceAttribute::ThreadsPerMultiprocessor,
                   &schedule::TargetDescription::threads_per_multiprocessor},
    AttributeField{DeviceAttribute::SharedBytesPerMultiprocessor,
                   &schedule::TargetDescription::shared_bytes_per_multiprocessor},
    AttributeField{DeviceAttribute::RegistersPerMultiprocessor,
                   &schedule::TargetDescription::registers_per_multiprocessor},
    AttributeField{DeviceAttribute::BlocksPerMultiprocessor,
                   &schedule::TargetDescription::blocks_per_multiprocessor}};

/**
 * Reads properties of one device from the driver; the first failing call is remembered and ends the reading.
 */
class DeviceProbe {
 public:
  DeviceProbe(const cuda::Driver& driver, const std::optional<cuda::Compiler>& compiler, int number)
      : functions_(driver.functions), number_(number) {
    found_.target = target_of(compiler);
    schedule::TargetDescription& target = found_.target;
    target.name = fmt::format("cuda:{}", number);
    target.driver_version = driver_version_text(driver.version);
    check(functions_.device(&device_, number), "cuDeviceGet");
    target.device = name();
    for (const AttributeField& asked : attribute_fields) target.*asked.field = attribute(asked.attribute);
    const auto major = attribute(DeviceAttribute::CapabilityMajor);
    const auto minor = attribute(DeviceAttribute::CapabilityMinor);
    target.isa = architecture_name(static_cast<int>(major * 10 + minor), compiler ? compiler->major : 0);
    std::size_t bytes = 0;
    check(functions_.device_memory(&bytes, device_), "cuDeviceTotalMem");
    target.memory_bytes = static_cast<std::int64_t>(bytes);
  }

  Result<ProbedDevice> take() {
    if (!problem_.empty()) {
      return fail(ErrorCode::Environment,
                  fmt::format("the properties of cuda:{} can't be read: {}", number_, problem_),
                  "check the output of nvidia-smi");
    }
    found_.free_memory_bytes = free_memory();
    return std::move(found_);
  }

 private:
  void check(DriverCode code, const char* call) {
    if (code != DriverCode::Success && problem_.empty()) {
      problem_ = cuda::device_error(functions_, code, call).message;
    }
  }

  std::int64_t attribute(DeviceAttribute asked) {
    int value = 0;
    check(functions_.device_attribute(&value, asked, device_), "cuDeviceGetAttribute");
    return value;
  }

  std::string name() {
    std::array<char, name_bytes> text{};
    check(functions_.device_name(text.data(), name_bytes - 1, device_), "cuDeviceGetName");
    return text.data();
  }

  /**
   * Returns the free memory, which needs a context; 0 if there is none, as on a device that another process
   * uses exclusively.
   */
  std::int64_t free_memory() {
    cuda::Context context = nullptr;
    if (functions_.context_retain(&context, device_) != DriverCode::Success) return 0;
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    const bool asked = functions_.context_set_current(context) == DriverCode::Success &&
                       functions_.memory_info(&free_bytes, &total_bytes) == DriverCode::Success;
    functions_.context_set_current(nullptr);
    functions_.context_release(device_);
    return asked ? static_cast<std::int64_t>(free_bytes) : 0;
  }

  const cuda::DriverFunctions& functions_;
  int number_;
  cuda::DeviceNumber device_ = 0;
  ProbedDevice found_;
  std::string problem_;
};

/** Checks the versions: cubins of a newer major version of CUDA don't load. */
Status check_versions(const cuda::Driver& driver, const std::optional<cuda::Compiler>& compiler) {
  if (!compiler || driver.version / 1000 >= compiler->major) return {};
  return fail(
      ErrorCode::Environment,
      fmt::format("the NVIDIA driver is for CUDA {}, too old for kernels of NVRTC {} ({})",
                  cuda_version_text(driver.version), compiler->version(), compiler->path),
      fmt::format(
          "update the driver, or install CUDA {} and set KERNELSCAPE_NVRTC to the path of its libnvrtc.so",
          driver.version / 1000));
}

}  // namespace

Result<std::vector<ProbedDevice>> list_cuda_devices() {
  const auto driver = TRY(cuda::open_driver());
  int count = 0;
  if (const DriverCode code = driver.functions.device_count(&count); code != DriverCode::Success) {
    return fail(ErrorCode::Environment,
                cuda::device_error(driver.functions, code, "cuDeviceGetCount").message,
                "check the output of nvidia-smi");
  }
  const std::optional<cuda::Compiler> compiler = find_compiler();
  TRY(check_versions(driver, compiler));
  std::vector<ProbedDevice> devices;
  for (int number = 0; number < count; ++number)
    devices.push_back(TRY(DeviceProbe(driver, compiler, number).take()));
  return devices;
}

Result<schedule::TargetDescription> describe_cuda_architecture(const std::string& architecture) {
  const std::vector<std::string> known = cuda_architectures();
  if (std::ranges::find(known, architecture) == known.end()) {
    const std::optional<cuda::Compiler> compiler = find_compiler();
    return fail(ErrorCode::InvalidArgument,
                fmt::format("no CUDA kernels can be built for \"{}\"{}", architecture,
                            compiler ? fmt::format(" by NVRTC {} ({})", compiler->version(), compiler->path)
                                     : std::string()),
                fmt::format("known: {}", base::join(known, ", ")));
  }
  const int capability = *capability_of(architecture);
  const auto limits =
      *std::ranges::find(known_cuda_architectures(), capability, &CudaArchitecture::capability);
  schedule::TargetDescription target = target_of(find_compiler());
  target.name = "cuda";
  target.device = fmt::format("compute capability {}.{}", capability / 10, capability % 10);
  target.isa = architecture;
  target.architecture_only = true;
  target.threads_per_block = 1024;
  target.block_x = 1024;
  target.block_y = 1024;
  target.block_z = 64;
  target.shared_bytes = 48 << 10;
  target.grid_x = 2'147'483'647;
  target.grid_y = 65'535;
  target.grid_z = 65'535;
  target.warp_threads = 32;
  target.threads_per_multiprocessor = limits.threads;
  target.blocks_per_multiprocessor = limits.blocks;
  target.registers_per_multiprocessor = registers_of_a_multiprocessor;
  target.shared_bytes_per_multiprocessor = limits.shared_bytes;
  return target;
}

std::vector<std::string> cuda_architectures() {
  const std::optional<cuda::Compiler> compiler = find_compiler();
  std::vector<std::string> names;
  for (const CudaArchitecture& architecture : known_cuda_architectures()) {
    if (!can_build(compiler, architecture.capability)) continue;
    names.push_back(fmt::format("sm_{}", architecture.capability));
    std::string own = architecture_name(architecture.capability, compiler ? compiler->major : 0);
    if (own != names.back()) names.push_back(std::move(own));
  }
  return names;
}

}  // namespace kernelscape::measure
