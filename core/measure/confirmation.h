#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/kernel/family.h"
#include "core/measure/measurer.h"
#include "core/schedule/target.h"
#include "core/trial/baselines.h"
#include "core/trial/machine_speed.h"
#include "core/trial/vendor_result.h"

namespace kernelscape::measure {

/** Repeated measurements, one per configuration, and those of the vendor's library. */
struct Confirmations {
  std::vector<trial::Measurement>
      configurations;  ///< per configuration: samples of all rounds, or the first error
  trial::VendorResult vendor;
  BusyTimes busy;
  int rounds = 0;            ///< rounds that were measured completely
  bool interrupted = false;  ///< stopped early: there are fewer samples, perhaps none
  bool out_of_time = false;  ///< the time limit was reached before all rounds were done
  int dropped_rounds = 0;    ///< rounds in a slow phase of the machine, whose samples are not used
  bool slow = false;         ///< too few rounds are left without those of a slow phase: all are used
  double machine_share =
      0;  ///< mean speed in the rounds that are used, relative to the usual one; 0: not known
  trial::ProbeSeconds
      probe{};  ///< mean times of the speed probe in these rounds; unknown: the device has none
  trial::MachineLimits limits{};  ///< measured beside these rounds; 0: not measured
  bool loaded = false;            ///< other programs used the machine, see ConfirmationMachine::loaded
  /** Another library that a fleet's worker chose, whose samples are not used; empty: there was none. */
  std::string other_vendor{};
};

/** What a confirmation knows of the machine. */
struct ConfirmationMachine {
  trial::ProbeSeconds usual{};  ///< see SpeedTrack
  std::function<trial::MachineLimits()>
      limits{};  ///< measures the machine's peaks; empty: they are not measured
  /**
   * Returns true if other programs use the machine now. Empty if the machine's usual speed is known, which
   * shows more precisely whether they disturb.
   */
  std::function<bool()> loaded{};
  /** False: the vendor's library is neither chosen nor measured, and there is no result of it. */
  bool with_vendor = true;
};

/**
 * Measures configurations and the vendor's library again, interleaved: in every round each of them is warmed
 * up and gives a sample, so that a change of the machine's state affects all of them. A round takes several
 * samples of each if there would be more than 20 rounds. No adaptive evaluator takes part. Both sides are
 * checked, use the same threads and the same timing, and contain no reordering of tensors.
 *
 * Before each round a slow machine is waited for, as in SlowPhaseWait; this does not count as busy time, nor
 * towards the time limit, nor does the choice of the vendor's library. Rounds that were measured in a slow
 * phase are dropped if at least three others are left. The machine's peaks are measured, and load is looked
 * for, beside up to three rounds.
 * @param samples number of samples of each configuration
 * @param stop called a few times per second; true stops the measurement; may be empty
 * @param max_seconds time limit, after which the rounds measured so far are the result; 0: no limit
 *
 * With options.build_only nothing is timed: there are no samples, and the vendor's result is a reason. Errors
 * are the machine's fault, or invalid options.
 */
Result<Confirmations> measure_interleaved(const kernel::Family& family,
                                          const schedule::TargetDescription& target,
                                          const trial::MeasureOptions& options,
                                          std::span<const space::Configuration> configurations, int samples,
                                          const std::function<bool()>& stop = {}, double max_seconds = 0,
                                          const ConfirmationMachine& machine = {});

/** Returns the vendor result of a user's own kernel: no vendor library computes the same function. */
trial::VendorResult no_vendor_of_program();

/** Measures the vendor's library alone, the fastest that is installed, with options.repeats samples. */
Result<trial::VendorResult> measure_vendor_baseline(const task::Task& task,
                                                    const schedule::TargetDescription& target,
                                                    const trial::MeasureOptions& options,
                                                    const std::function<bool()>& stop = {});

}  // namespace kernelscape::measure
