#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/measurer.h"
#include "core/project/kernel_project.h"
#include "core/schedule/target.h"
#include "core/session/accounting.h"
#include "core/session/baselines.h"
#include "core/session/kept_search.h"
#include "core/session/limits_again.h"
#include "core/session/stop_request.h"
#include "core/store/store.h"
#include "core/trial/budget.h"
#include "core/tuner/tuner.h"

namespace kernelscape {

/** Trials that a session was warm-started from: the first `trials` that had arrived in another session. */
struct HistorySource {
  SessionId session = 0;
  std::int64_t trials = 0;
  /** Its trials are told as rows of features, not as members of the space. */
  bool by_features = false;

  bool operator==(const HistorySource&) const = default;
};

/** The run of a study that a session is. */
struct StudyPlace {
  StudyId study = 0;
  std::int64_t run = 0;

  bool operator==(const StudyPlace&) const = default;
};

class Predictor;

/** What a tuner that uses a predictor is told of kernels before any is measured. */
struct SessionPredictor {
  std::shared_ptr<const Predictor> trained{};                ///< null: the tuner uses none
  std::shared_ptr<const PerformancePredictor> of_kernels{};  ///< the same, of the session's kernels
  MemberFilter within_limits{};
};

/** Makes a session's tuner. Errors: what the tuner refuses. */
using TunerMaker = std::function<Result<std::unique_ptr<Tuner>>(TunerContext)>;

/** Everything needed to make a session. */
struct SessionSetup {
  SearchSpace space;  ///< what the tuner proposes from
  std::string name{};
  Task task{};
  TargetDescription target{};
  std::string template_name{};
  int template_version = 0;
  std::string tuner{};
  SettingValues settings{};
  std::int64_t batch_size = 0;  ///< 0: the tuner's own; or batch_of_builders
  std::uint64_t seed = 0;
  Budget budget{};
  MeasureOptions options{};
  std::vector<Observation> history{};
  std::vector<HistorySource> history_sources{};
  /** Of the first trials of the history, one row each: those of other spaces, see TunerContext. */
  std::vector<std::vector<float>> history_features{};
  std::vector<std::string> history_columns{};  ///< of `history_features`
  /** Measured before the tuner is asked for anything, in this order: distinct members of the space. The tuner
   * then knows their trials as it knows a history. */
  std::vector<Configuration> starts{};
  FeatureSets features{};  ///< what a surrogate may learn from
  SessionPredictor predictor{};
  bool real_measurements = true;
  std::string origin{};                            ///< of a replay: as SessionRecord::origin; else empty
  std::shared_ptr<const KernelProject> project{};  ///< of a user's own kernel; null: a template's
  std::optional<StudyPlace> study{};               ///< none: a session of its own
  /** Nothing is surveyed before the first trial and nothing measured again at the end: for samples that a
   * model learns from, which no headline is made of. Not stored. */
  bool trials_alone = false;
  /** It will be resumed with a higher budget: nothing is measured again at its end yet. Not stored. */
  bool goes_on = false;
  /** Only a first kernel is wanted of this run: what its trials are compared with, and what disturbs the
   * machine, are measured when the session is resumed. Not stored. */
  bool first_kernel = false;
  TunerMaker make_tuner{};  ///< in place of the tuner of that name: to watch what it is asked. Not stored
};

/** What a session is doing. */
enum class SessionPhase : std::uint8_t {
  Replaying,   ///< resume: the tuner catches up with the stored trials
  Searching,   ///< the tuner computes
  Measuring,   ///< a batch is built and run
  Confirming,  ///< the best and the baselines are measured again
  Surveying    ///< before the first trial: what the trials are compared with is measured
};

/** The word of the enumerator in small letters, as JSON events have it. */
std::string_view to_string(SessionPhase phase);

/** What a message is of. */
enum class MessageKind : std::uint8_t {
  Waiting,      ///< for the device, which another process uses
  Machine,      ///< what of it disturbs timings
  BusyProcess,  ///< one that disturbs them
  Step,         ///< what it does now beside trials, and how long at most
  Note,         ///< what its user should know of the search
  Failure,      ///< the first trial that failed, before any succeeded
  Problem       ///< something could not be done, and the session goes on
};

/** What a session has to say beside its trials. */
struct SessionMessage {
  MessageKind kind = MessageKind::Problem;
  std::string text;
};

/** Told of everything that happens, on the session's thread; trials after they were committed. */
class SessionObserver {
 public:
  virtual ~SessionObserver() = default;
  /** Once, after the session was created or claimed, before anything is measured. */
  virtual void started(SessionId, const SessionRecord&) {}
  /** On entering a phase; the status has the times up to now. */
  virtual void phase_changed(SessionPhase, const SessionStatus&) {}
  /** A batch goes to the device. @param candidates to be measured: a resumed batch may lack only some */
  virtual void batch_started(std::int32_t /*batch*/, std::size_t /*candidates*/) {}
  /** In order of arrival; the trial is in the store, and counted in the status. */
  virtual void trial_finished(const Trial&, const SessionStatus&) {}
  /** While a batch is measured, and at its end; any number of times. */
  virtual void progress(const BatchProgress&, const SessionStatus&) {}
  /** A replay tells this and no trial_finished(): its trials are too many. At most 20 times a second, and at
   * the end. @param errors failed trials among the status's trials */
  virtual void replay_progress(std::int64_t /*errors*/, const SessionStatus&) {}
  /** Something to tell the user beside trials; the session goes on. */
  virtual void message(const SessionMessage&) {}
};

/** How a run ended. */
struct SessionOutcome {
  SessionId id = 0;
  SessionStatus status;
  bool interrupted = false;  ///< by a stop request
};

/** What a session runs with, owned by the caller. */
struct SessionTools {
  Measurer& measurer;
  SessionObserver& observer;
  const StopRequest& stop;
  Clock clock;
  Confirmer confirmer;         ///< empty: nothing is measured again at the end
  Surveyor surveyor = {};      ///< empty: nothing is measured before the first trial
  LimitMeter limits = {};      ///< empty: the surveyor's limits stay, whatever beats them
  KeptSearch* kept = nullptr;  ///< of a session that runs again and again in this process; null: of others
};

/**
 * Runs a new session to its end: propose, store the batch, measure, store each trial as it arrives, observe.
 *
 * Budgets are checked between batches; minutes within a batch as well, whose unfinished candidates a resume
 * with a higher budget measures. A graceful stop keeps what is running now, drops the rest of the batch and
 * leaves the session Interrupted. A machine's fault pauses it: the error is returned, the session is
 * Interrupted and can be resumed.
 */
Result<SessionOutcome> run_session(Store& store, const SessionSetup& setup, const SessionTools& tools);

/**
 * Goes on with session `id`: claims it, re-proposes every stored batch and compares each candidate (a
 * mismatch is an error that offers a new session warm-started from these trials), measures only what is
 * missing, and goes on. `setup` must equal what is stored (template version, space, target, settings); only
 * the budget may be higher.
 */
Result<SessionOutcome> resume_session(Store& store, SessionId id, const SessionSetup& setup,
                                      const SessionTools& tools);

}  // namespace kernelscape
