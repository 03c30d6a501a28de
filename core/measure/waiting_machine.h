#pragma once

#include "core/measure/busy_meter.h"
#include "core/measure/interruption.h"
#include "core/measure/slow_phase_wait.h"

namespace kernelscape::measure {

/** Returns the machine that a reader reads, for waits that `interruption` ends. */
WaitingMachine waiting_machine(SpeedReader reader, const Interruption& interruption);

/** Returns the median of several readings. */
Result<std::optional<trial::ProbeSeconds>> median_probe(const SpeedReader& reader);

/** Returns a reader of what has probe_speed() as a Runner has it, and must outlive the reader. */
template <typename Prober>
SpeedReader speed_reader(Prober& prober, const Interruption& interruption) {
  return [&prober, interruption] { return prober.probe_speed(interruption); };
}

/** Waits as `phase` does, and counts the time as waiting. Returns false if it was interrupted. */
template <typename Prober>
Result<bool> wait_for_usual_speed(SlowPhaseWait& phase, Prober& prober, BusyMeter& meter,
                                  const Interruption& interruption) {
  const BusyMeter::Scope waiting(meter, BusyMeter::Activity::Waiting);
  return phase.wait(waiting_machine(speed_reader(prober, interruption), interruption));
}

}  // namespace kernelscape::measure
