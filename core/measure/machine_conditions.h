#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kernelscape::measure {

/** What NVIDIA's driver reports of a GPU. 0: not known. */
struct GpuConditions {
  double core_hertz = 0;  ///< clock of the multiprocessors
  double max_core_hertz = 0;
  double memory_hertz = 0;
  double max_memory_hertz = 0;
  double celsius = 0;
  double watts = 0;
  std::uint64_t clock_limits = 0;  ///< why its clock is not higher: bits of NVML's nvmlClocksThrottleReasons

  bool known() const { return core_hertz > 0 || celsius > 0; }  ///< it was read
  bool operator==(const GpuConditions&) const = default;
};

/**
 * What the system reports of a machine, to explain why it is slow; never to decide whether it is. nullopt:
 * the system does not report a value, or none that a machine can have. Those named `total_` only increase.
 */
struct MachineConditions {
  double at_seconds = 0;                            ///< of a steady clock
  std::optional<double> total_processor_seconds{};  ///< of all processors, idle ones too
  std::optional<double> total_steal_seconds{};      ///< taken by the hypervisor
  std::optional<double> total_waiting_seconds{};    ///< in which a runnable process waited for a processor
  std::optional<double> total_quota_seconds{};      ///< in which a cgroup's limit stopped this program
  std::optional<double> total_heat_throttles{};     ///< of the processor that was throttled most often
  std::optional<double> hertz{};                    ///< mean over the processors
  std::optional<double> max_hertz{};
  std::optional<double> celsius{};  ///< of the hottest sensor of a processor
  GpuConditions gpu{};

  bool known() const { return at_seconds > 0; }  ///< it was read
  bool operator==(const MachineConditions&) const = default;
};

/**
 * Reads the conditions of this machine: some dozens of small files.
 * @param processors whose clocks and throttle counters are read, at most eight of them
 * @param root folder that has the system's proc and sys; another one in tests
 */
MachineConditions read_machine_conditions(std::span<const int> processors,
                                          const std::filesystem::path& root = "/");

/**
 * Reads what can explain why a device is slow: the conditions of this machine, or only the time for a GPU,
 * which is slowed by its own state. That is reported by its worker.
 * @param own_state true: the device is such a GPU
 */
MachineConditions read_device_conditions(bool own_state, std::span<const int> processors);

/**
 * Says what was different while a machine was slow: "steal 31 %, cores at 1.2 of 3.1 GHz". Values that were
 * the same before are not named.
 * @param before readings in order of time, while the machine was as usual; may be empty
 * @param during readings in order of time; counters are counted from the last reading before
 * @return nullopt if nothing was read that could explain anything; empty if nothing was different
 */
std::optional<std::string> explain_slowness(std::span<const MachineConditions> before,
                                            std::span<const MachineConditions> during);

}  // namespace kernelscape::measure
