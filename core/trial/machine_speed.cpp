#include "core/trial/machine_speed.h"

#include <algorithm>

namespace kernelscape::trial {

MachineSpeed relative_speed(const ProbeSeconds& now, const ProbeSeconds& usual) {
  if (!now.known() || !usual.known()) return {};
  return {.compute = usual.compute / now.compute, .memory = usual.memory / now.memory};
}

double speed_for(const MachineSpeed& speed, KernelBound bound) {
  if (bound == KernelBound::Compute) return speed.compute;
  if (bound == KernelBound::Memory) return speed.memory;
  return std::max(speed.compute, speed.memory);
}

}  // namespace kernelscape::trial
