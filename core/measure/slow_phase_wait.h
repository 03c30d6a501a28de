#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/trial/measurement.h"
#include "core/trial/speed_track.h"

namespace kernelscape::measure {

/** Takes a reading of the speed probe; nullopt: the device has no probe, or it was interrupted. */
using SpeedReader = std::function<Result<std::optional<trial::ProbeSeconds>>()>;

/** How SlowPhaseWait reaches the machine; tests use a machine of their own. */
struct WaitingMachine {
  SpeedReader probe;
  /** Lets the machine rest; returns false if the wait was interrupted. */
  std::function<bool(double seconds)> pause;
  std::function<double()> seconds;  ///< of a steady clock
};

/**
 * Returns the readings around a trial for a SpeedTrack. The order of the trials stands for the session time.
 * @param row position of the trial in the track
 */
trial::SpeedReading speed_reading(const trial::Measurement& measurement, std::int64_t row);

/** The seconds that have been waited in the present slow phase of a device. */
using SlowPhaseAccount = std::shared_ptr<std::atomic<double>>;

/**
 * Returns the account that all measurers of this process on a device share: a phase that outlasts a session
 * is not waited for once more by the next session, of a network's layers for example.
 */
SlowPhaseAccount shared_slow_phase_account(const std::string& device);

/**
 * Waits for a machine that is slower than usual, before a kernel is timed. All waits of a slow phase
 * together take at most a given time; then kernels are run in spite of it. The phases are those of a
 * SpeedTrack that also has the readings taken while waiting.
 */
class SlowPhaseWait {
 public:
  /**
   * @param patience_seconds maximum time of all waits in a slow phase; 0: never waits
   * @param account of the phase that may have begun before; not null
   */
  explicit SlowPhaseWait(double patience_seconds,
                         SlowPhaseAccount account = std::make_shared<std::atomic<double>>(0))
      : patience_seconds_(patience_seconds), account_(std::move(account)) {}

  /** Sets the maximum time of all waits in a slow phase. */
  void set_patience(double seconds) { patience_seconds_ = seconds; }
  /** Sets the usual times of the probe and forgets all readings. */
  void set_usual(const trial::ProbeSeconds& usual) {
    track_ = trial::SpeedTrack(usual, trial::KernelBound::Unknown);
  }
  /** Adds the readings around a trial. */
  void add(const trial::Measurement& measurement);
  /** Returns true if wait() would wait. */
  bool wanted() const { return track_.slow() && account_->load() < patience_seconds_; }
  /**
   * Waits until the machine is as fast as usual or the patience for its slow phase is used up.
   * @return false if it was interrupted
   */
  Result<bool> wait(const WaitingMachine& machine);
  const trial::SpeedTrack& track() const { return track_; }  ///< of all readings

 private:
  Result<bool> poll(const WaitingMachine& machine);

  double patience_seconds_;
  SlowPhaseAccount account_;
  trial::SpeedTrack track_{{}, trial::KernelBound::Unknown};
};

}  // namespace kernelscape::measure
