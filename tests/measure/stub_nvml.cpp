// Stands in for NVML, in the same library as the stand-in for libcuda: see stub_cuda.h.

#include <cstring>
#include <string_view>

#include "tests/measure/stub_cuda.h"
#include "tests/measure/stub_setting.h"

using namespace kernelscape::measure_tests;

namespace {

constexpr int success = 0;
constexpr int unknown_device = 6;
constexpr unsigned multiprocessor_clock = 1;

int nvml_device = 0;

unsigned nvml_number(std::string_view key, unsigned otherwise) {
  const auto found = stub_setting(stub_nvml_variable, key);
  return found ? static_cast<unsigned>(found->value) : otherwise;
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return static_cast<int>(nvml_number("init", success)); }

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  *device = &nvml_device;
  return std::strcmp(bus_id, "0000:00:00.0") == 0 ? success : unknown_device;
}

int nvmlDeviceGetClockInfo(void*, unsigned clock, unsigned* megahertz) {
  *megahertz = clock == multiprocessor_clock ? nvml_number("core", 1980) : nvml_number("memory", 2619);
  return success;
}

int nvmlDeviceGetMaxClockInfo(void*, unsigned clock, unsigned* megahertz) {
  *megahertz = clock == multiprocessor_clock ? 1980 : 2619;
  return success;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = nvml_number("limits", 0);
  return success;
}

int nvmlDeviceGetTemperature(void*, unsigned, unsigned* celsius) {
  *celsius = nvml_number("celsius", 41);
  return success;
}

int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 312'500;
  return success;
}

/** Each reading adds the same energy, so that a trial consumes that of one step. */
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  static unsigned long long consumed = 1000;
  consumed += nvml_number("millijoules", 0);
  *millijoules = consumed;
  return success;
}

}  // extern "C"
