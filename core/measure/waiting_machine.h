#pragma once

#include "core/measure/runner.h"
#include "core/measure/slow_phase_wait.h"

namespace kernelscape::measure {

/** Returns the machine of a run worker, for waits that `interruption` ends. `runner` must outlive it. */
WaitingMachine waiting_machine(Runner& runner, const Interruption& interruption);

/** Returns the median of several readings of the speed probe, see Runner::probe_speed(). */
Result<std::optional<trial::ProbeSeconds>> median_probe(Runner& runner, const Interruption& interruption);

}  // namespace kernelscape::measure
