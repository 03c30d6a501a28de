#pragma once

#include <QObject>
#include <map>

#include "ui/frame/throttle.h"
#include "ui/workspace/run_queue.h"
#include "ui/workspace/session_watch.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::frame {

/** Reports messages of the engine about runs, and the end of each run, as notices. */
class RunNotices : public QObject {
  Q_OBJECT

 public:
  explicit RunNotices(workspace::Workspace& workspace, QObject* parent = nullptr);

 signals:
  /** A run ended; for a desktop notification, since the window may be hidden by others. */
  void run_finished(const QString& title, const QString& text);

 private:
  void notify_messages();
  void notify_end(workspace::RunId id);

  workspace::Workspace& workspace_;
  std::map<workspace::RunId, std::size_t> notified_;  ///< number of messages already reported, by run
  Throttle throttle_;
};

/**
 * Returns the outcome of an ended run: "500 trials, best 341 GFLOPS".
 * @param session session of the run; null: not in the list yet
 */
QString outcome_text(const workspace::RunView& run, const workspace::SessionEntry* session);

}  // namespace kernelscape::frame
