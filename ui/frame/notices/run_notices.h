#pragma once

#include <QObject>
#include <map>

#include "ui/frame/throttle.h"
#include "ui/workspace/run_queue.h"
#include "ui/workspace/session_watch.h"
#include "ui/workspace/workspace.h"

namespace kernelscape {

/** Tells what the engine says of runs, and how they end, as notices. */
class RunNotices : public QObject {
  Q_OBJECT

 public:
  explicit RunNotices(Workspace& workspace, QObject* parent = nullptr);

 signals:
  /** For the desktop: the window may lie behind others. */
  void run_finished(const QString& title, const QString& text);

 private:
  void tell_messages();
  void tell_end(RunId id);

  Workspace& workspace_;
  std::map<RunId, std::size_t> told_;  ///< messages of each run that were told
  Throttle throttle_;
};

/** "500 trials, best 341 GFLOPS": of an ended run. @param session of the run; null: it is not listed yet */
QString outcome_text(const RunView& run, const SessionEntry* session);

}  // namespace kernelscape
