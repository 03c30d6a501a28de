#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>

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

/**
 * Waits before a trial if the machine is slower than usual, and shows it in the progress of its batch.
 * Returns false if it was interrupted.
 * @param mutex of the progress
 */
template <typename Prober>
Result<bool> wait_before_trial(SlowPhaseWait& phase, Prober& prober, BusyMeter& meter,
                               const Interruption& interruption, std::mutex& mutex, BatchProgress& progress) {
  if (!phase.wanted()) return true;
  const auto show = [&](bool waiting) {
    const std::scoped_lock lock(mutex);
    progress.waiting = waiting;
    progress.speed = phase.track().now();
  };
  show(true);
  const Result<bool> recovered = wait_for_usual_speed(phase, prober, meter, interruption);
  show(false);  // behind the end of the wait, whose time is reported then
  return recovered;
}

/**
 * Waits before a round of a confirmation if the machine is slower than usual, which is not charged to its
 * deadline. Returns false if `stop` ended it.
 */
template <typename Prober>
Result<bool> wait_before_round(SlowPhaseWait& phase, Prober& prober, BusyMeter& meter,
                               const std::function<bool()>& stop, std::optional<Deadline>& deadline) {
  if (!phase.wanted()) return true;
  const auto begin = std::chrono::steady_clock::now();
  const Result<bool> ready =
      wait_for_usual_speed(phase, prober, meter, {.descriptor = -1, .requested = stop});
  if (deadline) *deadline += std::chrono::steady_clock::now() - begin;
  return ready;
}

}  // namespace kernelscape::measure
