#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <optional>

#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

Q_MOC_INCLUDE("core/session/preparation.h")

namespace kernelscape {

struct RunView;
struct TuningRequest;

/** The actions that every list of the main window offers for a session. */
class SessionActions : public QObject {
  Q_OBJECT

 public:
  explicit SessionActions(Workspace& workspace, QObject* parent = nullptr);

  /** Opens a session as the current source of the workspace. */
  void open(SessionId id);
  /** Shows the sessions of a collection in the session list. */
  void open_collection(StudyId id) { emit collection_opened(id); }
  /** Pins or unpins: curves of pinned sessions are drawn behind the current one's. */
  void toggle_pinned(SessionId id);
  /** Adds a run that resumes the session to the queue. */
  void resume(SessionId id);
  /**
   * Pauses the session gracefully, so that it can be resumed. Does nothing if no run of this window works on
   * it.
   */
  void pause(SessionId id);
  /** Stops the session gracefully; a second call stops it at once. */
  void stop(SessionId id);
  /**
   * Renames a session; leading and trailing spaces are removed. The name is written at once; failures are
   * reported as notices.
   */
  void rename(SessionId id, const QString& name);
  /** Renames a collection in the same way as a session. */
  void rename_collection(StudyId id, const QString& name);
  /**
   * Moves a session to the trash, from where bring_back() restores it, and emits deleted(). Failures are
   * reported as notices.
   */
  void remove(SessionId id, const QString& title);
  /** Restores a session from the trash, so that lists show it again. */
  void bring_back(SessionId id);
  /** Reads the settings of a session, and emits run_requested() to fill the form for a new run with them. */
  void duplicate(SessionId id);
  /** Changes the state of sessions whose process died to interrupted. */
  void acknowledge_lost(const std::vector<SessionId>& ids);

  /** Returns the run of this window that works on a session or is about to; nullopt if there is none. */
  std::optional<RunView> run_of(SessionId id) const;

 signals:
  /** A session was opened from a list; a view has to show it. */
  void opened(kernelscape::SessionId id);
  /** The session list has to show and expand a collection. */
  void collection_opened(qint64 collection);
  /** `duplicate` has read the settings of a session. */
  void run_requested(const kernelscape::TuningRequest& request);
  /** A session was moved to the trash. @param title its title in lists */
  void deleted(kernelscape::SessionId id, const QString& title);
  /** The export dialog of a session has to be shown. */
  void export_requested(kernelscape::SessionId id);
  /** A report of a session was requested. @param title suggested name of the file */
  void report_requested(kernelscape::SessionId id, const QString& title);
  /** The session is to be compared with the open session and the pinned sessions. */
  void comparison_requested(kernelscape::SessionId id);

 private:
  Workspace& workspace_;
  JobTracker job_;
};

}  // namespace kernelscape
