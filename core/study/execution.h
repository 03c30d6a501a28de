#pragma once

#include <functional>
#include <string>

#include "core/session/local_run.h"
#include "core/session/session.h"
#include "core/study/network_measurements.h"
#include "core/study/study.h"

namespace kernelscape::study {

/** The progress of a study's execution. */
struct Progress {
  std::int64_t runs = 0;
  std::int64_t done = 0;
  std::int64_t failed = 0;
  std::int64_t running = 0;
  std::int64_t trials = 0;      ///< measured trials of layers that share one budget
  std::int64_t max_trials = 0;  ///< that budget; 0: it has no limit of trials, or is not shared
  double elapsed_seconds = 0;   ///< duration of this execution
  double seconds_left = -1;     ///< -1: not known
};

/** Receives the events of an execution. Calls come from several threads, one at a time. */
class Observer {
 public:
  virtual ~Observer() = default;
  /** Reports that the run's session was created or claimed. */
  virtual void run_started(const PlannedRun&, store::SessionId) {}
  /** Reports the end of the run's session: done, interrupted or failed, according to the status. */
  virtual void run_ended(const PlannedRun&, store::SessionId, const store::SessionStatus&) {}
  /** Reports a run without a result: its session could not be created or run. The study continues. */
  virtual void run_failed(const PlannedRun&, const Error&) {}
  /** Reports a trial of a measured run. Trials of replays are too fast to be reported. */
  virtual void trial_finished(const PlannedRun&, const trial::Trial&, const store::SessionStatus&) {}
  /** Reports the progress whenever a run starts or ends. */
  virtual void progress(const Progress&) {}
  /** Reports a message of a session. */
  virtual void message(const session::Message&) {}
  /**
   * Reports that a run waits for a device of this machine, which another process uses. Not called for replays
   * and fleets, which need no such device.
   * @param device as the task names it: "cuda:0"
   * @param text names the device and its user: "waiting for cpu: it is used by resnet18/C6 with tuner nose"
   */
  virtual void device_awaited(const std::string& /*device*/, const std::string& /*text*/) {}
  /**
   * Reports that a run has begun to use a device of this machine. Not called for replays and fleets.
   * @param device as the task names it
   */
  virtual void device_used(const std::string& /*device*/) {}
  /** Reports the latency of the whole model after a round of a network. */
  virtual void latency_measured(const LatencyPoint&) {}
};

struct Outcome {
  store::StudyId id = 0;
  Progress progress;
  bool interrupted = false;  ///< by a stop request: the missing runs can be run later
};

struct Options {
  int jobs = 0;  ///< replays at the same time; 0: replays_at_once(). Measured runs run one at a time.
  session::Runner runner = session::run_on_this_machine;
  /** Made in this order when a network has run to its end. */
  std::vector<NetworkMeasurement> network_measurements = {};
  MakeRoundMeasurement round_measurement = {};  ///< of networks with rounds; empty: none is made
};

/** Removes the optional tasks whose file is missing. @return a notice for each */
std::vector<std::string> leave_out_missing(Definition& study);

/**
 * Stores a study after looking up everything in it: tuners, settings, tasks, templates, restrictions,
 * recorded files, sessions that tuners start with, budget. Leaves out optional tasks whose file is missing,
 * and adds controls, see add_controls(). On an error, stores nothing; the error names the tuner or task.
 */
Result<store::StudyId> create_study(store::Store& store, const Definition& study);

/** Returns the purpose of a stored study, or Comparison if its definition cannot be read. */
Purpose purpose_of(const store::StudyRecord& record);

/** Returns the definition of a stored study. */
Result<Definition> stored_study(const store::Store& store, store::StudyId id);

/**
 * Runs what is missing of a stored study, and owns it meanwhile. Returns Refused if another process owns it.
 * Runs are made in the order of plan_runs(), but replays before measured runs, for which the machine must be
 * idle. Interrupted sessions resume, finished sessions remain, failed sessions are restarted. A run whose
 * target no longer exists is marked, and the others continue; so is a run that should start with the trials
 * of another run that is not done. Each thread opens the database separately. A network that ran to its end
 * is measured as a whole; if that is not possible, a message gives the reason.
 */
Result<Outcome> run_study(const std::filesystem::path& database, store::StudyId id, const Options& options,
                          Observer& observer, const session::StopRequest& stop);

/** Adds the recorded spaces of an analysis as sessions to the database if they are missing. */
Status add_analysed_sessions(store::Store& store, const Definition& study);
/**
 * Returns those sessions in the study's order. Returns NotFound if one was not added, or if its file no
 * longer exists.
 */
Result<std::vector<store::SessionId>> analysed_sessions(const store::Store& store, const Definition& study);
/**
 * Returns a store of the same database with all sessions that analysed_sessions() needs: `store` itself if it
 * has them (as it does once the study ran), else a store that was opened for reading after they were added.
 */
Result<store::Store> with_analysed_sessions(store::Store store, store::StudyId id);

}  // namespace kernelscape::study
