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

/** What can be done with a session from any list of the frame. */
class SessionActions : public QObject {
  Q_OBJECT

 public:
  explicit SessionActions(Workspace& workspace, QObject* parent = nullptr);

  /** Makes it the workspace's source. */
  void open(SessionId id);
  /** Shows a collection's sessions in the list of sessions. */
  void open_collection(StudyId id) { emit collection_opened(id); }
  /** Pins or unpins: curves of pinned sessions are drawn behind the current one's. */
  void toggle_pinned(SessionId id);
  /** Into the queue. */
  void resume(SessionId id);
  /** Gracefully, to be resumed; nothing where no run of this window works on it. */
  void pause(SessionId id);
  /** Gracefully; again: at once. */
  void stop(SessionId id);
  /** Spaces around the name are dropped; written at once, failures are told as notices. */
  void rename(SessionId id, const QString& name);
  /** The same of a collection. */
  void rename_collection(StudyId id, const QString& name);
  /** Into the trash, from where bring_back() takes it; told as deleted(). Failures are told as notices. */
  void remove(SessionId id, const QString& title);
  /** Shows one that was removed in the lists again. */
  void bring_back(SessionId id);
  /** Reads what it was made with, and asks for the form to be filled with it. */
  void duplicate(SessionId id);
  /** Sessions whose process died are from now on simply interrupted. */
  void acknowledge_lost(const std::vector<SessionId>& ids);

  /** The run of this window that works on a session, or is about to. */
  std::optional<RunView> run_of(SessionId id) const;

 signals:
  /** A session was opened from here: a view of it is to be shown. */
  void opened(kernelscape::SessionId id);
  /** A collection is to be seen in the list of sessions, opened. */
  void collection_opened(qint64 collection);
  /** `duplicate` has read what a session was made with. */
  void run_requested(const kernelscape::TuningRequest& request);
  /** It went into the trash. @param title what it was called */
  void deleted(kernelscape::SessionId id, const QString& title);
  /** The dialog that takes results of a session home. */
  void export_requested(kernelscape::SessionId id);
  /** The report of a session. @param title what its file is to be called */
  void report_requested(kernelscape::SessionId id, const QString& title);
  /** It is to be compared with the session that is open, and with those that are pinned. */
  void comparison_requested(kernelscape::SessionId id);

 private:
  Workspace& workspace_;
  JobTracker job_;
};

}  // namespace kernelscape
