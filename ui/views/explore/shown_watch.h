#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "ui/figures/shown_trials.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::views {

/**
 * Keeps the `ShownTrials` of the workspace's source and filters, which are computed in a background job. A
 * new source or new filters are processed at once; new trials of a running session at most every three
 * seconds, and only while a view is visible.
 */
class ShownWatch : public QObject {
  Q_OBJECT

 public:
  explicit ShownWatch(workspace::Workspace& workspace, QObject* parent = nullptr);

  /** Returns the trials; null: there is no source, or the job has not finished. */
  const figures::Shown& shown() const { return shown_; }
  /** Sets whether a view that shows the trials is visible. */
  void set_active(bool active);

 signals:
  /** Emitted when `shown()` changed, or became null. */
  void changed();

 private:
  void refresh_now();
  void refresh_soon();

  workspace::Workspace& workspace_;
  workspace::JobTracker jobs_;
  QTimer timer_;
  QElapsedTimer since_refresh_;
  figures::Shown shown_;
  bool active_ = false;
  bool stale_ = true;
};

}  // namespace kernelscape::views
