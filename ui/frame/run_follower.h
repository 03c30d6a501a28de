#pragma once

#include <QObject>
#include <set>

#include "ui/workspace/run_queue.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::frame {

/**
 * Follows the queued runs: opens the session of a run that was started here once it exists, and asks the user
 * to trust the project of a run that was refused because its project is not trusted.
 */
class RunFollower : public QObject {
  Q_OBJECT

 public:
  /** @param window parent of the questions, and owner of this object */
  RunFollower(workspace::Workspace& workspace, QWidget& window);

  /** Queues a run whose session is opened once it exists. */
  void start(const session::TuningRequest& request);

 private:
  void ask_for_trust(workspace::RunId id);

  workspace::Workspace& workspace_;
  QWidget& window_;
  std::set<workspace::RunId> followed_;
};

}  // namespace kernelscape::frame
