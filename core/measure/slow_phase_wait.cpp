#include "core/measure/slow_phase_wait.h"

#include <algorithm>

#include "core/trial/table.h"
#include "core/trial/trial.h"

namespace kernelscape::measure {
namespace {

constexpr double poll_seconds = 0.5;
/** Readings of a poll: a machine that is as usual ends a phase after two polls. */
constexpr int poll_readings = 3;

}  // namespace

trial::SpeedReading speed_reading(const trial::Measurement& measurement, std::int64_t row) {
  trial::Trial trial;
  trial.number = row;
  trial.measurement = measurement;
  trial.finished_seconds = static_cast<double>(row);
  return trial::speed_reading(trial::make_row(trial, /*message=*/0));
}

void SlowPhaseWait::add(const trial::Measurement& measurement) {
  track_.add(speed_reading(measurement, track_.rows()));
  if (!track_.slow()) waited_seconds_ = 0;
}

Result<bool> SlowPhaseWait::wait(const WaitingMachine& machine) {
  const double before = waited_seconds_;
  const double begin = machine.seconds();
  while (wanted()) {
    if (!machine.pause(std::min(poll_seconds, patience_seconds_ - waited_seconds_))) return false;
    const bool readable = TRY(poll(machine));
    waited_seconds_ = before + machine.seconds() - begin;
    if (!readable) waited_seconds_ = patience_seconds_;
  }
  if (!track_.slow()) waited_seconds_ = 0;
  return true;
}

/** Returns false if the machine has no readings any more: waiting could not end. */
Result<bool> SlowPhaseWait::poll(const WaitingMachine& machine) {
  for (int reading = 0; reading < poll_readings; ++reading) {
    const std::optional<trial::ProbeSeconds> probe = TRY(machine.probe());
    if (!probe) return false;
    track_.add_idle(static_cast<double>(track_.rows()), *probe);
  }
  return true;
}

}  // namespace kernelscape::measure
