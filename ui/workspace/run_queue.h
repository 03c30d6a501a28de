#pragma once

#include <QObject>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/session/local_run.h"
#include "core/session/preparation.h"
#include "ui/workspace/service.h"

namespace kernelscape {

struct KernelProject;

/** Where a run of the queue stands. */
enum class RunState : std::uint8_t {
  Queued,
  Preparing,  ///< compiler, template and space are looked up
  Waiting,    ///< for the device, which another process uses
  Running,
  Pausing,   ///< what is running now is finished and kept
  Stopping,  ///< the same, or at once
  Paused,    ///< can be resumed
  Stopped,
  Done,
  Failed
};

/** English, in lower case, for logs and texts. */
std::string_view to_string(RunState state);
/** Paused, Stopped, Done or Failed: this run does nothing more. A paused one is gone on with as a new run. */
bool has_ended(RunState state);

using RunId = std::int64_t;

/** A run as the window shows it: a copy, taken at one moment. */
struct RunView {
  RunId id = 0;
  RunState state = RunState::Queued;
  std::string title;                 ///< "resnet18/C6 nose"
  std::optional<SessionId> session;  ///< once it was made
  SessionPhase phase = SessionPhase::Searching;
  BatchProgress batch;
  SessionStatus status;
  Budget budget;
  std::vector<SessionMessage> messages;  ///< of the engine, in order
  std::optional<Error> error;            ///< Failed
  /** Failed: nothing ran, since nobody trusts the content of this project yet. Then `again` may follow. */
  std::shared_ptr<const KernelProject> untrusted = {};
  double trials_per_second = 0;  ///< of this run
  double seconds_left = -1;      ///< -1: not known
};

/**
 * Runs sessions one after the other by a service, in this process. Lives on the window's thread; views are
 * copies. Signals come on the window's thread and are merged: many changes, one signal.
 */
class RunQueue : public QObject {
  Q_OBJECT

 public:
  explicit RunQueue(std::filesystem::path database, SessionRunner runner = run_on_this_machine,
                    QObject* parent = nullptr);
  /** Pauses what runs and waits for it. */
  ~RunQueue() override;

  /** Queues a new session. Errors of the request come later, as the run's own. */
  RunId start(const TuningRequest& request);
  /** Goes on with a stored session. @param budget higher than before; none: as stored */
  RunId resume(SessionId session, std::optional<Budget> budget = std::nullopt);
  /** Asks once more for what an ended run was asked for, as a new run. @return its number; none: no such run
   */
  std::optional<RunId> again(RunId id);
  /** Runs before those that are queued already. */
  void move_to_front(RunId id);

  /** The active run ends its batch, keeps it and can be resumed; nothing for another run. */
  void pause(RunId id);
  /** First gracefully; asked again at once. A queued run is taken out. */
  void stop(RunId id);
  /** Every run: used when the window closes. */
  void pause_all();
  /** As `pause_all`, but the active run ends as stopped, not as paused. */
  void stop_all();

  std::vector<RunView> runs() const;           ///< oldest first
  std::optional<RunView> run(RunId id) const;  ///< none: no such run
  /** The one that runs, or is about to. */
  std::optional<RunView> active() const;
  std::size_t queued_count() const;  ///< without the active one
  /** Nothing runs or waits. */
  bool idle() const;

 signals:
  /** The views of some runs are others now: many changes, one signal. */
  void changed();
  /** The run's session was stored, or opened to go on with; it is in the database. */
  void session_started(kernelscape::RunId run, kernelscape::SessionId session);
  /** Paused, stopped, done or failed: its last view holds. */
  void run_ended(kernelscape::RunId run);

 private:
  struct Run;
  class Observer;

  RunId add(std::unique_ptr<Run> run);
  Run* find(RunId id) const;
  Service::Pause run_next();
  void execute(Run& run);
  void fail_run(Run& run, Error error);
  void refuse_run(const Store& store, Run& run, const Error& error);
  Result<PreparedTuning> prepare(const Run& run, Store& store) const;
  void set_state(Run& run, RunState state);

  std::filesystem::path database_;
  SessionRunner runner_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::deque<RunId> queue_;
  RunId next_id_ = 1;
  std::optional<RunId> active_;
  Service service_;
};

}  // namespace kernelscape

Q_DECLARE_METATYPE(kernelscape::RunView)
