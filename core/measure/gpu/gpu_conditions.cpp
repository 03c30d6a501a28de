#include "core/measure/gpu/gpu_conditions.h"

#include <array>
#include <limits>
#include <optional>

#include "core/measure/gpu/cuda_api.h"
#include "core/measure/gpu/cuda_libraries.h"
#include "core/measure/gpu/device_name.h"

namespace kernelscape::measure {
namespace {

using NvmlHandle = struct NvmlDeviceRecord*;
using NvmlCode = int;  // nvmlReturn_t
constexpr NvmlCode nvml_success = 0;
constexpr unsigned nvml_multiprocessor_clock = 1;
constexpr unsigned nvml_memory_clock = 2;
constexpr unsigned nvml_gpu_sensor = 0;

/** The functions of NVML; a driver may lack each of them but the first two. */
struct NvmlFunctions {
  NvmlCode (*init)() = nullptr;
  NvmlCode (*device)(const char* bus_id, NvmlHandle* device) = nullptr;
  NvmlCode (*clock)(NvmlHandle device, unsigned clock, unsigned* megahertz) = nullptr;
  NvmlCode (*max_clock)(NvmlHandle device, unsigned clock, unsigned* megahertz) = nullptr;
  NvmlCode (*clock_limits)(NvmlHandle device, unsigned long long* reasons) = nullptr;
  NvmlCode (*temperature)(NvmlHandle device, unsigned sensor, unsigned* celsius) = nullptr;
  NvmlCode (*power)(NvmlHandle device, unsigned* milliwatts) = nullptr;
  NvmlCode (*energy)(NvmlHandle device, unsigned long long* millijoules) = nullptr;
};

/** Returns "0000:65:00.0", by which NVML names a device whatever the order of CUDA's numbers is. */
std::optional<std::string> bus_id_of(int number) {
  const auto driver = cuda::open_driver();
  cuda::DeviceNumber device{};
  std::array<char, 32> id{};
  const bool known = driver && driver->functions.device(&device, number) == cuda::DriverCode::Success &&
                     driver->functions.device_bus_id(id.data(), static_cast<int>(id.size()) - 1, device) ==
                         cuda::DriverCode::Success;
  return known ? std::optional(std::string(id.data())) : std::nullopt;
}

}  // namespace

struct GpuConditionsReader::Device {
  NvmlFunctions functions;
  NvmlHandle handle = nullptr;

  double hertz(NvmlCode (*function)(NvmlHandle, unsigned, unsigned*), unsigned clock) const {
    constexpr double mega = 1e6;
    constexpr unsigned max_megahertz = 100'000;
    unsigned megahertz = 0;
    const bool known = function != nullptr && function(handle, clock, &megahertz) == nvml_success;
    return known && megahertz <= max_megahertz ? megahertz * mega : 0;
  }
};

GpuConditionsReader::GpuConditionsReader(const std::string& device) {
  const auto name = parse_device_name(device);
  if (!name || name->kind != schedule::TargetKind::Cuda) return;
  const auto library = open_runtime_library(nvml_library());
  if (!library) return;
  NvmlFunctions functions;
  if (!library->bind("nvmlInit_v2", functions.init) ||
      !library->bind("nvmlDeviceGetHandleByPciBusId_v2", functions.device))
    return;
  library->bind("nvmlDeviceGetClockInfo", functions.clock);
  library->bind("nvmlDeviceGetMaxClockInfo", functions.max_clock);
  library->bind("nvmlDeviceGetCurrentClocksThrottleReasons", functions.clock_limits);
  library->bind("nvmlDeviceGetTemperature", functions.temperature);
  library->bind("nvmlDeviceGetPowerUsage", functions.power);
  library->bind("nvmlDeviceGetTotalEnergyConsumption", functions.energy);
  const std::optional<std::string> bus_id = bus_id_of(name->number);
  NvmlHandle handle = nullptr;
  if (!bus_id || functions.init() != nvml_success ||
      functions.device(bus_id->c_str(), &handle) != nvml_success)
    return;
  device_ = std::make_unique<const Device>(functions, handle);
}

GpuConditionsReader::GpuConditionsReader(GpuConditionsReader&& other) noexcept = default;
GpuConditionsReader::~GpuConditionsReader() = default;

double GpuConditionsReader::total_joules() const {
  constexpr double joules_per_millijoule = 1e-3;
  unsigned long long millijoules = 0;
  const bool known = device_ && device_->functions.energy != nullptr &&
                     device_->functions.energy(device_->handle, &millijoules) == nvml_success;
  return known ? static_cast<double>(millijoules) * joules_per_millijoule
               : std::numeric_limits<double>::quiet_NaN();
}

GpuConditions GpuConditionsReader::read() const {
  GpuConditions conditions;
  if (!device_) return conditions;
  constexpr unsigned max_gpu_celsius = 200;
  constexpr unsigned max_milliwatts = 10'000'000;
  const NvmlFunctions& functions = device_->functions;
  conditions.core_hertz = device_->hertz(functions.clock, nvml_multiprocessor_clock);
  conditions.max_core_hertz = device_->hertz(functions.max_clock, nvml_multiprocessor_clock);
  conditions.memory_hertz = device_->hertz(functions.clock, nvml_memory_clock);
  conditions.max_memory_hertz = device_->hertz(functions.max_clock, nvml_memory_clock);
  unsigned long long reasons = 0;
  if (functions.clock_limits != nullptr && functions.clock_limits(device_->handle, &reasons) == nvml_success)
    conditions.clock_limits = reasons;
  unsigned value = 0;
  if (functions.temperature != nullptr &&
      functions.temperature(device_->handle, nvml_gpu_sensor, &value) == nvml_success &&
      value <= max_gpu_celsius)
    conditions.celsius = value;
  if (functions.power != nullptr && functions.power(device_->handle, &value) == nvml_success &&
      value <= max_milliwatts)
    conditions.watts = value * 1e-3;
  return conditions;
}

}  // namespace kernelscape::measure
