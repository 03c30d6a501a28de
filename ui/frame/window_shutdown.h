#pragma once

#include <QObject>
#include <functional>

#include "ui/frame/close_guard.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::frame {

/**
 * Closes the main window: waits until nothing runs, has the state of the window stored, hides the window, and
 * empties the trash.
 */
class WindowShutdown : public QObject {
  Q_OBJECT

 public:
  /**
   * @param window is hidden, and owns this object
   * @param save stores the state of the window
   */
  WindowShutdown(workspace::Workspace& workspace, QWidget& window, std::function<void()> save);

  CloseGuard& guard() { return guard_; }  ///< decides whether the window may close while runs are active
  bool left() const { return left_; }     ///< `left_for` was emitted, so that the window may close

  /** Asks the user if something runs; then closes the window. */
  void quit();
  /** Closes the window like quit(), in order to open another database. */
  void leave_for(const QString& database);
  /**
   * Checks that the database can be opened, then calls leave_for(). If it can't be opened, the window stays
   * open and a notice says why.
   */
  void open_database(const QString& database);
  /** Closes the window without asking, and pauses all runs. */
  void leave_pausing();

 signals:
  /**
   * Nothing runs any more, and all results and settings are stored.
   * @param next_database database to open instead; empty: quit
   */
  void left_for(const QString& next_database);

 private:
  void finish(const QString& next_database);

  workspace::Workspace& workspace_;
  QWidget& window_;
  std::function<void()> save_;
  CloseGuard& guard_;  ///< a child of the window
  bool left_ = false;
  workspace::JobTracker check_job_;  ///< checks a database before it is opened
  workspace::JobTracker trash_job_;
};

}  // namespace kernelscape::frame
