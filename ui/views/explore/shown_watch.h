#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "ui/figures/shown_trials.h"
#include "ui/workspace/workspace.h"

namespace kernelscape {

/**
 * Keeps `ShownTrials` of the workspace's source and filters, made in a background job. Another source or
 * other filters are followed at once; new trials of a running session every three seconds at most, and only
 * while somebody looks.
 */
class ShownWatch : public QObject {
  Q_OBJECT

 public:
  explicit ShownWatch(Workspace& workspace, QObject* parent = nullptr);

  /** Null: no source, or not made yet. */
  const Shown& shown() const { return shown_; }
  /** Whether a view that shows it is visible. */
  void set_active(bool active);

 signals:
  /** `shown()` is another one, or none. */
  void changed();

 private:
  void refresh_now();
  void refresh_soon();

  Workspace& workspace_;
  JobTracker jobs_;
  QTimer timer_;
  QElapsedTimer since_refresh_;
  Shown shown_;
  bool active_ = false;
  bool stale_ = true;
};

}  // namespace kernelscape
