#pragma once

#include <cstdint>

namespace kernelscape::trial {

/** The wall times of the two parts of a speed probe, a fixed amount of work. 0: not measured. */
struct ProbeSeconds {
  double compute = 0;  ///< multiply-adds in registers, all threads
  double memory = 0;   ///< reading data that no cache holds, all threads

  bool known() const { return compute > 0 && memory > 0; }  ///< both parts were measured
  bool operator==(const ProbeSeconds&) const = default;
};

/** Changes when the probe's work does: times of different versions are never compared. */
inline constexpr std::int32_t probe_version = 1;

/** A machine whose speed relative to its usual speed is below this is shown as slower than usual. */
inline constexpr double min_usual_speed = 0.9;

/** The speed of a machine relative to its usual speed: 1 as usual, 0.3 at 30 % of it. 0: not known. */
struct MachineSpeed {
  double compute = 0;
  double memory = 0;

  bool known() const { return compute > 0 && memory > 0; }  ///< both parts are known
  /** Returns the speed of the part that is slowed more: what users are shown. */
  double lowest() const { return compute < memory ? compute : memory; }
  /** Returns true if users are shown that the machine is slower than usual. */
  bool slower_than_usual() const { return known() && lowest() < min_usual_speed; }
  bool operator==(const MachineSpeed&) const = default;
};

/** Which part of the machine limits a kernel, and therefore slows it down. */
enum class KernelBound : std::uint8_t {
  Unknown,  ///< times are corrected by the part that was slowed less: too much would invent fast kernels
  Compute,
  Memory
};

/** Returns the relative speed; unknown if either is. */
MachineSpeed relative_speed(const ProbeSeconds& now, const ProbeSeconds& usual);

/** Returns the speed by which the times of a kernel are corrected; 0: not known. */
double speed_for(const MachineSpeed& speed, KernelBound bound);

}  // namespace kernelscape::trial
