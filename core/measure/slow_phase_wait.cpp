#include "core/measure/slow_phase_wait.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "core/trial/table.h"
#include "core/trial/trial.h"

namespace kernelscape::measure {
namespace {

constexpr double poll_seconds = 0.5;
/** Readings of a poll: a machine that is as usual ends a phase after two polls. */
constexpr int poll_readings = 3;
/** Trials after which a track that never saw a slow phase says that the machine is as usual. */
constexpr std::int64_t trials_of_a_usual_machine = 8;

}  // namespace

trial::SpeedReading speed_reading(const trial::Measurement& measurement, std::int64_t row) {
  trial::Trial trial;
  trial.number = row;
  trial.measurement = measurement;
  trial.finished_seconds = static_cast<double>(row);
  return trial::speed_reading(trial::make_row(trial, /*message=*/0));
}

SlowPhaseAccount shared_slow_phase_account(const std::string& device) {
  static std::mutex mutex;
  static std::map<std::string, SlowPhaseAccount> accounts;
  const std::scoped_lock lock(mutex);
  SlowPhaseAccount& account = accounts[device];
  if (account == nullptr) account = std::make_shared<std::atomic<double>>(0);
  return account;
}

void SlowPhaseWait::add(const trial::Measurement& measurement) {
  const bool was_slow = track_.slow();
  track_.add(speed_reading(measurement, track_.rows()));
  // A phase that began before this object is not seen at once.
  if (!track_.slow() && (was_slow || track_.rows() >= trials_of_a_usual_machine)) account_->store(0);
}

Result<bool> SlowPhaseWait::wait(const WaitingMachine& machine) {
  const double before = account_->load();
  const double begin = machine.seconds();
  while (wanted()) {
    if (!machine.pause(std::min(poll_seconds, patience_seconds_ - account_->load()))) return false;
    const bool readable = TRY(poll(machine));
    // An interrupted reading must not use up the patience of the sessions that follow.
    if (!readable && !machine.pause(0)) return false;
    account_->store(readable ? before + machine.seconds() - begin : patience_seconds_);
  }
  if (!track_.slow()) account_->store(0);
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
