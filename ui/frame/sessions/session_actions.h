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

  void open(SessionId id);
  void toggle_pinned(SessionId id);
  /** Into the queue. */
  void resume(SessionId id);
  void pause(SessionId id);
  /** Gracefully; again: at once. */
  void stop(SessionId id);
  void rename(SessionId id, const QString& name);
  /** Reads what it was made with, and asks for the form to be filled with it. */
  void duplicate(SessionId id);
  /** Sessions whose process died are from now on simply interrupted. */
  void acknowledge_lost(const std::vector<SessionId>& ids);

  /** The run of this window that works on a session, or is about to. */
  std::optional<RunView> run_of(SessionId id) const;

 signals:
  void opened(kernelscape::SessionId id);
  void run_requested(const kernelscape::TuningRequest& request);

 private:
  Workspace& workspace_;
  JobTracker job_;
};

}  // namespace kernelscape
