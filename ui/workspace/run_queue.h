#pragma once

#include <QObject>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/analysis/best_result.h"
#include "core/session/local_run.h"
#include "core/session/preparation.h"
#include "ui/workspace/service.h"

namespace kernelscape::project {
struct KernelProject;
}  // namespace kernelscape::project

namespace kernelscape::workspace {

/** State of a run in the queue. */
enum class RunState : std::uint8_t {
  Queued,
  Preparing,  ///< compiler, template and space are being looked up
  Waiting,    ///< waits for the device, which another process uses
  Running,
  Pausing,   ///< the active batch is finished and stored
  Stopping,  ///< the active batch is finished and stored, or aborted
  Paused,    ///< can be resumed
  Stopped,
  Done,
  Failed
};

/** Returns the state in English, in lower case, for logs and texts. */
std::string_view to_string(RunState state);
/**
 * Returns true for Paused, Stopped, Done and Failed, the final states of a run. A paused session is resumed
 * by a new run.
 */
bool has_ended(RunState state);

using RunId = std::int64_t;

/** Copy of the state of a run, for views. */
struct RunView {
  RunId id = 0;
  RunState state = RunState::Queued;
  std::string title;                        ///< "resnet18/C6 nose"
  std::optional<store::SessionId> session;  ///< set once the session exists
  /** Target whose device it uses or waits for, "cuda:0"; empty: not known yet, a replay, or build only. */
  std::string device = {};
  session::Phase phase = session::Phase::Searching;
  measure::BatchProgress batch;
  store::SessionStatus status;
  trial::Budget budget;
  std::vector<session::Message> messages;  ///< messages of the engine, in order
  std::optional<Error> error;              ///< set if the run failed
  /**
   * Set if the run failed because the user does not trust the contents of this project yet: nothing was run.
   * After the user has trusted it, `again` can repeat the run.
   */
  std::shared_ptr<const project::KernelProject> untrusted = {};
  analysis::BestResult best = {};  ///< of its session, after the run has ended; see best_result()
  double trials_per_second = 0;    ///< of this run only
  double seconds_left = -1;        ///< -1: not known
};

/**
 * Runs sessions one after the other in a service thread of this process. Lives on the window's thread; views
 * get copies. Signals are emitted on the window's thread and are merged: several changes, one signal.
 */
class RunQueue : public QObject {
  Q_OBJECT

 public:
  explicit RunQueue(std::filesystem::path database, session::Runner runner = session::run_on_this_machine,
                    QObject* parent = nullptr);
  /** Pauses the active run and waits until it has ended. */
  ~RunQueue() override;

  /** Queues a new session. Errors in the request are reported later, as the error of the run. */
  RunId start(const session::TuningRequest& request);
  /** Queues a run that resumes a stored session. @param budget a larger budget; nullopt: the stored budget */
  RunId resume(store::SessionId session, std::optional<trial::Budget> budget = std::nullopt);
  /**
   * Queues a new run with the request of an ended run.
   * @return id of the new run; nullopt: there is no run `id`
   */
  std::optional<RunId> again(RunId id);
  /** Moves a run to the front of the queue. */
  void move_to_front(RunId id);

  /**
   * Pauses the active run: its batch is finished and stored, and the session can be resumed. Does nothing for
   * another run, and for a run that is being stopped.
   */
  void pause(RunId id);
  /**
   * Stops the active run gracefully; a second call stops it at once. A queued run is removed from the queue.
   */
  void stop(RunId id);
  /** Pauses every run; used when the window closes. */
  void pause_all();
  /** Works as `pause_all`, except that the active run ends as stopped instead of paused. */
  void stop_all();

  std::vector<RunView> runs() const;           ///< oldest first
  std::optional<RunView> run(RunId id) const;  ///< nullopt: no such run
  /** Returns the run that is active or is about to start; nullopt if there is none. */
  std::optional<RunView> active() const;
  std::size_t queued_count() const;  ///< without the active run
  /** Returns true if no run is active or queued. */
  bool idle() const;

 signals:
  /** The views of some runs changed; several changes are merged into one signal. */
  void changed();
  /** The session of the run was stored or reopened; it is in the database. */
  void session_started(kernelscape::workspace::RunId run, kernelscape::store::SessionId session);
  /** A run was paused, stopped, done or failed: its view does not change any more. */
  void run_ended(kernelscape::workspace::RunId run);

 private:
  struct Run;
  class Observer;

  RunId add(std::unique_ptr<Run> run);
  std::optional<RunId> discard_queued();
  Run* find(RunId id) const;
  Service::Pause run_next();
  void execute(Run& run);
  void fail_run(Run& run, Error error);
  void refuse_run(const store::Store& store, Run& run, const Error& error);
  Result<session::PreparedTuning> prepare(const Run& run, store::Store& store) const;
  void set_state(Run& run, RunState state);

  std::filesystem::path database_;
  session::Runner runner_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::deque<RunId> queue_;
  RunId next_id_ = 1;
  std::optional<RunId> active_;
  Service service_;
};

}  // namespace kernelscape::workspace

Q_DECLARE_METATYPE(kernelscape::workspace::RunView)
