#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <optional>

#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

Q_MOC_INCLUDE("core/session/preparation.h")

namespace kernelscape::session {
struct TuningRequest;
}  // namespace kernelscape::session

namespace kernelscape::workspace {
struct RunView;
}  // namespace kernelscape::workspace

namespace kernelscape::frame {

/** The actions that every list of the main window offers for a session. */
class SessionActions : public QObject {
  Q_OBJECT

 public:
  explicit SessionActions(workspace::Workspace& workspace, QObject* parent = nullptr);

  /** Opens a session as the current source of the workspace. */
  void open(store::SessionId id);
  /** Shows the sessions of a collection in the session list. */
  void open_collection(store::StudyId id) { emit collection_opened(id); }
  /** Pins or unpins: curves of pinned sessions are drawn behind the current one's. */
  void toggle_pinned(store::SessionId id);
  /** Adds a run that resumes the session to the queue. */
  void resume(store::SessionId id);
  /**
   * Pauses the session gracefully, so that it can be resumed. Does nothing if no run of this window works on
   * it.
   */
  void pause(store::SessionId id);
  /** Stops the session gracefully; a second call stops it at once. */
  void stop(store::SessionId id);
  /**
   * Renames a session; leading and trailing spaces are removed. The name is written at once; failures are
   * reported as notices.
   */
  void rename(store::SessionId id, const QString& name);
  /** Renames a collection in the same way as a session. */
  void rename_collection(store::StudyId id, const QString& name);
  /**
   * Moves a session to the trash, from where bring_back() restores it, and emits deleted(). Failures are
   * reported as notices.
   */
  void remove(store::SessionId id, const QString& title);
  /** Restores a session from the trash, so that lists show it again. */
  void bring_back(store::SessionId id);
  /** Reads the settings of a session, and emits run_requested() to fill the form for a new run with them. */
  void duplicate(store::SessionId id);
  /** Changes the state of sessions whose process died to interrupted. */
  void acknowledge_lost(const std::vector<store::SessionId>& ids);

  /** Returns the run of this window that works on a session or is about to; nullopt if there is none. */
  std::optional<workspace::RunView> run_of(store::SessionId id) const;

 signals:
  /** A session was opened from a list; a view has to show it. */
  void opened(kernelscape::store::SessionId id);
  /** The session list has to show and expand a collection. */
  void collection_opened(qint64 collection);
  /** `duplicate` has read the settings of a session. */
  void run_requested(const kernelscape::session::TuningRequest& request);
  /** A session was moved to the trash. @param title its title in lists */
  void deleted(kernelscape::store::SessionId id, const QString& title);
  /** The export dialog of a session has to be shown. */
  void export_requested(kernelscape::store::SessionId id);
  /** A report of a session was requested. @param title suggested name of the file */
  void report_requested(kernelscape::store::SessionId id, const QString& title);
  /** The session is to be compared with the open session and the pinned sessions. */
  void comparison_requested(kernelscape::store::SessionId id);

 private:
  workspace::Workspace& workspace_;
  workspace::JobTracker job_;
};

}  // namespace kernelscape::frame
