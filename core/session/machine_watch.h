#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/session/accounting.h"
#include "core/session/batches.h"
#include "core/session/condition_log.h"
#include "core/trial/worker_tracks.h"

namespace kernelscape::session {

/**
 * Observes the speed of the machines that measure a session, and notifies the session's observer of slow
 * phases and of waits for a slow machine. Only readings that are stored count, so that a resumed session
 * observes the same.
 */
class MachineWatch {
 public:
  /** @param session, tools, accounting must outlive this object */
  MachineWatch(RunningSession& session, const Tools& tools, Accounting& accounting)
      : session_(session), tools_(tools), accounting_(accounting) {}

  /**
   * Determines the usual times of the probe once, before the first trial: a resumed session must find the
   * same slow phases. If they are not known, since the machine was never seen without other programs, none
   * are stored: the fastest readings of the session stand for them.
   */
  Status find_usual_probe();
  /** Sets the usual times of the probe that are stored with the session. Unknown times are ignored. */
  void set_usual_probe(const trial::ProbeSeconds& usual);
  /** Reports what the session knows of the usual speed of its machines, before a confirmation. */
  void report_usual_speeds() const;

  /** Returns the number of a fleet's worker, in order of their first trials; 0: this machine. */
  std::uint16_t worker_number(const std::string& worker);
  /** Adds the readings of the next trial. */
  void add(const trial::Row& row) { tracks_.add(trial::speed_reading(row), row.worker); }
  const trial::WorkerTracks& tracks() const { return tracks_; }  ///< of all trials that were added
  /** Adds conditions that a worker of a fleet reported with its trial. @param worker 0: ignored */
  void add_conditions(std::uint16_t worker, const measure::MachineConditions& conditions);
  /** Reads the conditions of this machine, at most once a second. */
  void read_conditions(const measure::BatchProgress& progress);

  /**
   * Returns the best time at the machine's present speed: good kernels must not be given up because the
   * machine is slow.
   */
  double device_best_seconds() const;
  /**
   * Notifies the observer when a wait for a slow machine begins and ends. The end is reported too, because
   * the session's clock, and so all its charts, do not contain the wait.
   */
  void show_waiting(const measure::BatchProgress& progress);

  /** Marks the slow phases that have ended as reported, because an earlier run of the session did that. */
  void skip_ended_phases();
  /**
   * Notifies the observer of slow phases that ended, at the session's end also of one that did not.
   * @return true if there was one
   */
  bool report_phases(bool at_end);

 private:
  void notify_no_probe() const;
  bool reported(const trial::SlowPhase& phase) const;
  /**
   * Returns what was different in a phase, of this machine or as a fleet's worker reported it; empty if that
   * is not known.
   */
  std::string explain(const trial::SlowPhase& phase) const;

  RunningSession& session_;
  const Tools& tools_;
  Accounting& accounting_;
  trial::WorkerTracks tracks_{{}, trial::KernelBound::Unknown};
  std::map<std::string, std::uint16_t> workers_;             ///< of a fleet
  std::vector<trial::SlowPhase> reported_;                   ///< phases of which the observer was notified
  ConditionLog conditions_;                                  ///< of this machine
  std::map<std::uint16_t, ConditionLog> worker_conditions_;  ///< of a fleet's workers, see Row::worker
  bool usual_known_ = false;                                 ///< the usual times are stored with the session
  std::optional<double> waits_at_;  ///< lowest speed of the slow machine that is waited for, if one is
  double reported_waiting_seconds_ =
      0;  ///< of Accounting::waiting_seconds, of which the observer was notified
};

}  // namespace kernelscape::session
