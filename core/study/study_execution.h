#pragma once

#include <functional>
#include <string>

#include "core/session/local_run.h"
#include "core/session/session.h"
#include "core/study/network_pass.h"
#include "core/study/study.h"

namespace kernelscape {

/** Where a study stands. */
struct StudyProgress {
  std::int64_t runs = 0;
  std::int64_t done = 0;
  std::int64_t failed = 0;
  std::int64_t running = 0;
  std::int64_t trials = 0;       ///< of layers that share one budget: measured so far
  std::int64_t most_trials = 0;  ///< that budget; 0: it is none of trials, or not shared
  double elapsed_seconds = 0;    ///< of this execution
  double seconds_left = -1;      ///< -1: not known
};

/** Told of everything that happens; calls come from several threads, one at a time. */
class StudyObserver {
 public:
  virtual ~StudyObserver() = default;
  /** The run's session was made or claimed. */
  virtual void run_started(const PlannedRun&, SessionId) {}
  /** With the session however it ended: done, interrupted or failed, as the status says. */
  virtual void run_ended(const PlannedRun&, SessionId, const SessionStatus&) {}
  /** No outcome: its session could not be made or run; the study goes on. */
  virtual void run_failed(const PlannedRun&, const Error&) {}
  /** A real run's own trials; replays are too fast to tell. */
  virtual void trial_finished(const PlannedRun&, const Trial&, const SessionStatus&) {}
  /** Whenever a run begins or ends. */
  virtual void progress(const StudyProgress&) {}
  /** All layers of a network were called in their order. */
  virtual void pass_measured(const MeasuredPass&) {}
  /** What the sessions have to say beside their trials. */
  virtual void message(const SessionMessage&) {}
};

struct StudyOutcome {
  StudyId id = 0;
  StudyProgress progress;
  bool interrupted = false;  ///< by a stop request: what is missing can be run later
};

/** Measures a pass over a network's layers: see measure_network_pass(). */
using PassMeasurer = std::function<Result<MeasuredPass>(Store&, StudyId, const StopRequest&)>;

struct StudyOptions {
  int jobs = 0;  ///< replays at the same time; 0: as replays_at_once() says. Real runs go one at a time.
  SessionRunner runner = run_on_this_machine;
  PassMeasurer measure_pass = {};  ///< once a network was run to its end; none: no pass is measured
};

/** Takes out the optional tasks whose file is missing. @return a notice for each */
std::vector<std::string> leave_out_missing(StudyDefinition& study);

/**
 * Stores a study after everything in it was looked up: tuners, settings, tasks, templates, restrictions,
 * recorded files, sessions that tuners begin with, budget. Optional tasks whose file is missing are left out,
 * and controls are added, see add_controls(). Nothing is stored where something is wrong, and the error says
 * which tuner or task.
 */
Result<StudyId> create_study(Store& store, const StudyDefinition& study);

/** What a stored study is for; a comparison where its definition can't be read. */
StudyPurpose purpose_of(const StudyRecord& record);

/** The definition of a stored study. */
Result<StudyDefinition> stored_study(const Store& store, StudyId id);

/**
 * Runs what is missing of a stored study: owns it meanwhile, refused where another process does. In the order
 * of plan_runs(), but replays before real runs, which the machine has to be quiet for. Sessions that were
 * interrupted go on, those that are done stay, those that failed are made anew. A run whose target has
 * vanished is marked and the others go on; so is one that should begin with the trials of another run that is
 * not done. Each thread opens the database anew. A network that ran to its end is measured in one pass over
 * all layers; where that is not possible a message says why.
 */
Result<StudyOutcome> run_study(const std::filesystem::path& database, StudyId id, const StudyOptions& options,
                               StudyObserver& observer, const StopRequest& stop);

/** The recorded spaces that an analysis is of, as sessions of the database: added where they are missing. */
Status add_analysed_sessions(Store& store, const StudyDefinition& study);
/** Those sessions, in the study's order; NotFound where one was not added, or its file is gone. */
Result<std::vector<SessionId>> analysed_sessions(const Store& store, const StudyDefinition& study);
/**
 * The same database with all sessions that analysed_sessions() wants: `store` itself where it has them, which
 * is so since the study ran, else opened anew to read once they were added.
 */
Result<Store> with_analysed_sessions(Store store, StudyId id);

}  // namespace kernelscape
