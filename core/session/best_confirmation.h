#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/session/accounting.h"
#include "core/session/batches.h"
#include "core/session/machine_watch.h"

namespace kernelscape::session {

/**
 * Measures the best trials of a session again and stores the results as confirmations; the trials keep their
 * own samples.
 */
class BestConfirmation {
 public:
  /** @param session, tools, accounting, machines, best must outlive this object */
  BestConfirmation(RunningSession& session, const Tools& tools, Accounting& accounting,
                   const MachineWatch& machines, BestTrials& best)
      : session_(session), tools_(tools), accounting_(accounting), machines_(machines), best_(best) {}

  /**
   * Measures the best trials again at the session's end, with the first valid configuration and the vendor's
   * library in turns. An earlier confirmation remains valid while no trial is added. A failure is reported
   * and loses the confirmation, not the session.
   * @param measured true if this run added a trial
   * @return an error of reading the stored confirmations
   */
  Status confirm_best(bool measured);
  /**
   * Measures the uncertain trials again after a slow phase: which trial is the best is known only after that.
   * A failure is reported and loses this measurement, not the session: the trials are measured again at its
   * end, too.
   */
  void confirm_uncertain();

 private:
  using Entries = std::vector<BestTrials::Entry>;

  Result<bool> needed(bool measured) const;
  Status confirm();
  /** Returns the fastest trials by their own samples, then those of slow phases that may be faster. */
  Result<Entries> trials_to_confirm() const;
  /** Returns the uncertain trials that were not measured again yet. */
  Result<Entries> uncertain() const;
  Status confirm_uncertain(const Entries& trials);
  /** Calls the confirmer after notifying it of what the session knows of the machines' usual speed. */
  Result<measure::Confirmations> measure_again(std::span<const space::Configuration> configurations,
                                               double max_seconds);
  /** Reports that the time was over. Returns the error if not even one round was completed. */
  Status notify_out_of_time(const measure::Confirmations& measured, double max_seconds) const;
  /** Reports the configurations that could not be measured. @param with_vendor also those of the vendor */
  std::vector<trial::Confirmation> confirmations_of(const Entries& trials,
                                                    const measure::Confirmations& measured, bool with_vendor,
                                                    const std::string& now) const;
  /** Reports which samples do not count, and why. */
  void notify_unused(const measure::Confirmations& measured) const;

  RunningSession& session_;
  const Tools& tools_;
  Accounting& accounting_;
  const MachineWatch& machines_;
  BestTrials& best_;
  std::set<std::int64_t> measured_again_;  ///< uncertain trials, by this run
};

}  // namespace kernelscape::session
