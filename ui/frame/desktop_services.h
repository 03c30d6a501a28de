#pragma once

#include <QDBusUnixFileDescriptor>
#include <QObject>

#include "ui/workspace/jobs.h"

namespace kernelscape {

/** What the desktop does for us over D-Bus, as far as it is there: notices, and no suspend while a run goes.
 */
class DesktopServices : public QObject {
  Q_OBJECT

 public:
  explicit DesktopServices(QObject* parent = nullptr);

  /** A notice of the desktop; where nobody shows them, nothing happens. */
  void notify(const QString& title, const QString& text);
  /** The machine does not suspend by itself while this holds. */
  void keep_awake(bool awake);

 private:
  JobTracker notify_job_;
  JobTracker inhibit_job_;
  bool awake_ = false;
  QDBusUnixFileDescriptor inhibition_;  ///< holds until it is closed
};

}  // namespace kernelscape
