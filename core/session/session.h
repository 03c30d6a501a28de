#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/machine_conditions.h"
#include "core/measure/measurer.h"
#include "core/project/kernel_project.h"
#include "core/schedule/target.h"
#include "core/session/accounting.h"
#include "core/session/baselines.h"
#include "core/session/remeasure_limits.h"
#include "core/session/stop_request.h"
#include "core/session/tuner_checkpoint.h"
#include "core/store/store.h"
#include "core/trial/budget.h"
#include "core/trial/usual_speed.h"
#include "core/trial/worker_tracks.h"
#include "core/tuner/tuner.h"

namespace kernelscape::predictor {
class Predictor;
}  // namespace kernelscape::predictor

namespace kernelscape::session {

/**
 * Trials that a session was warm-started from: the first `trials` trials in order of arrival of another
 * session.
 */
struct HistorySource {
  store::SessionId session = 0;
  std::int64_t trials = 0;
  /** The tuner receives the trials as rows of features, not as members of the space. */
  bool by_features = false;

  bool operator==(const HistorySource&) const = default;
};

/**
 * The identity of trials of a related space that a session learns from, as it is stored: a session, or a file
 * with a recorded space. Either way the trials must be the same when the session is resumed.
 */
struct LearntSource {
  store::SessionId session = 0;  ///< 0: a file
  std::int64_t trials = 0;       ///< number of the session's trials in order of arrival; 0 for a file
  std::string file = {};         ///< absolute path; empty: a session
  std::string sha256 = {};       ///< of the space and the trials

  bool operator==(const LearntSource&) const = default;
};

/** The run of a study that a session is. */
struct StudyPlace {
  store::StudyId study = 0;
  std::int64_t run = 0;

  bool operator==(const StudyPlace&) const = default;
};

/** The predictor that a tuner uses before any kernel is measured. */
struct Predictor {
  std::shared_ptr<const predictor::Predictor> trained{};  ///< null: the tuner uses none
  std::shared_ptr<const space::PerformancePredictor>
      of_kernels{};  ///< the predictor applied to the session's kernels
  tuner::MemberFilter within_limits{};
};

/** Makes a session's tuner. Errors: those of the tuner. */
using TunerMaker = std::function<Result<std::unique_ptr<tuner::Tuner>>(tuner::Context)>;

/** Everything needed to make a session. */
struct Setup {
  space::SearchSpace space;  ///< the tuner proposes members of this space
  std::string name{};
  task::Task task{};
  schedule::TargetDescription target{};
  std::string template_name{};
  int template_version = 0;
  std::string tuner{};
  tuner::SettingValues settings{};
  std::int64_t batch_size = 0;  ///< 0: the tuner's default; or batch_of_builders
  std::uint64_t seed = 0;
  trial::Budget budget{};
  trial::MeasureOptions options{};
  std::vector<trial::Observation> history{};
  std::vector<HistorySource> history_sources{};
  /** One row for each of the first trials of the history, which come from other spaces, see tuner::Context.
   */
  std::vector<std::vector<float>> history_features{};
  std::vector<std::string> history_columns{};  ///< of `history_features`
  std::vector<LearntSource> learnt_sources{};  ///< identities of `sources`, in their order
  /** Related spaces that the tuner learns from, see tuner::Context. */
  std::vector<std::shared_ptr<const tuner::SourceTrials>> sources{};
  /**
   * Distinct members of the space that are measured in this order before the tuner's first proposal. The
   * tuner receives their trials as part of its history.
   */
  std::vector<space::Configuration> starts{};
  space::FeatureSets features{};  ///< features that a surrogate may learn from
  Predictor predictor{};
  bool real_measurements = true;
  std::string origin{};  ///< for a replay, see SessionRecord::origin; else empty
  std::shared_ptr<const project::KernelProject>
      project{};                      ///< for a user's own kernel; null: kernels of a template
  std::optional<StudyPlace> study{};  ///< nullopt: not part of a study
  /**
   * Skips the survey before the first trial and the confirmation at the end: for training samples of a model,
   * of which no best result is reported. Not stored.
   */
  bool trials_alone = false;
  /**
   * The session will be resumed with a higher budget, so the confirmation at the end is skipped for now. Not
   * stored.
   */
  bool continues = false;
  /**
   * Only a first kernel is needed from this run: baselines and disturbances of the machine are measured when
   * the session is resumed. Not stored.
   */
  bool first_kernel = false;
  TunerMaker make_tuner{};  ///< replaces the tuner of that name, to observe its calls. Not stored
};

/** Current activity of a session. */
enum class Phase : std::uint8_t {
  Replaying,   ///< resume: the tuner catches up with the stored trials
  Searching,   ///< the tuner computes
  Measuring,   ///< a batch is built and run
  Confirming,  ///< the best and the baselines are measured again
  Surveying    ///< the baselines and limits are measured before the first trial
};

/** Returns the enumerator's name in lower case, as in JSON events. */
std::string_view to_string(Phase phase);

/** Subject of a message. */
enum class MessageKind : std::uint8_t {
  Waiting,      ///< waiting for the device, which another process uses, or for a slow machine
  Machine,      ///< a state of the machine that disturbs timings
  BusyProcess,  ///< a process that disturbs timings
  Step,         ///< current work beside trials, and its maximum duration
  Note,         ///< a note for the user about the search
  Failure,      ///< the first trial that failed, before any succeeded
  Problem       ///< an action failed, and the session continues
};

/** A message of a session beside its trials. */
struct Message {
  MessageKind kind = MessageKind::Problem;
  std::string text;
};

/** Receives all events of a session, on the session's thread; trials after they were committed. */
class Observer {
 public:
  virtual ~Observer() = default;
  /** Called once, after the session was created or claimed and before anything is measured. */
  virtual void started(store::SessionId, const store::SessionRecord&) {}
  /** Called on entering a phase; the status has the times up to now. */
  virtual void phase_changed(Phase, const store::SessionStatus&) {}
  /**
   * Called when a batch goes to the device.
   * @param candidates number to be measured: a resumed batch may lack only some
   */
  virtual void batch_started(std::int32_t /*batch*/, std::size_t /*candidates*/) {}
  /** Called before candidates go to the measurer, with the numbers of their trials, in the submitted order.
   */
  virtual void trials_submitted(std::span<const std::int64_t> /*numbers*/) {}
  /** Called in order of arrival; the trial is in the store, and counted in the status. */
  virtual void trial_finished(const trial::Trial&, const store::SessionStatus&) {}
  /** Called any number of times while a batch is measured, and at its end. */
  virtual void progress(const measure::BatchProgress&, const store::SessionStatus&) {}
  /**
   * Called by a replay instead of trial_finished(), since its trials are too many: at most 20 times a second,
   * and at the end.
   * @param errors failed trials among the status's trials
   */
  virtual void replay_progress(std::int64_t /*errors*/, const store::SessionStatus&) {}
  /** Called with a message for the user; the session continues. */
  virtual void message(const Message&) {}
};

/** How a run ended. */
struct Outcome {
  store::SessionId id = 0;
  store::SessionStatus status;
  bool interrupted = false;  ///< by a stop request
};

/** Objects that a session runs with, owned by the caller. */
struct Tools {
  measure::Measurer& measurer;
  Observer& observer;
  const StopRequest& stop;
  Clock clock;
  Confirmer confirmer;              ///< empty: no confirmation at the end
  Surveyor surveyor = {};           ///< empty: no survey before the first trial
  LimitMeter limits = {};           ///< empty: the surveyor's limits stay, even if a kernel exceeds them
  TunerCheckpoint* kept = nullptr;  ///< for a session that runs repeatedly in this process; else null
  /** Called when the machine's usual speed is known, and before each confirmation. */
  std::function<void(const trial::UsualSpeed&)> usual_speed_known = {};
  /** Called before each confirmation with the usual times of a fleet's workers. */
  std::function<void(const trial::WorkerUsualTimes&)> worker_usual_known = {};
  /** Reads what the system reports of the device's machine, to explain slow phases; empty: it is not read. */
  std::function<measure::MachineConditions()> conditions = {};
  bool loaded = false;  ///< other programs used the machine immediately before the session
};

/**
 * Runs a new session to its end: propose, store the batch, measure, store each trial as it arrives, observe.
 *
 * Budgets are checked between batches; minutes also within a batch, whose unfinished candidates are measured
 * if the session is resumed with a higher budget. A graceful stop keeps the running trials, drops the rest of
 * the batch and leaves the session Interrupted. A fault of the machine pauses the session: the error is
 * returned, and the session is Interrupted and can be resumed.
 */
Result<Outcome> run_session(store::Store& store, const Setup& setup, const Tools& tools);

/**
 * Resumes session `id`: claims it, re-proposes every stored batch and compares each candidate (a mismatch is
 * an error that offers a new session warm-started from these trials), measures only the missing trials, and
 * continues. `setup` must equal the stored setup (template version, space, target, settings); only the budget
 * may be higher.
 */
Result<Outcome> resume_session(store::Store& store, store::SessionId id, const Setup& setup,
                               const Tools& tools);

}  // namespace kernelscape::session
