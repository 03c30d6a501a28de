#pragma once

#include <QDBusUnixFileDescriptor>
#include <QObject>

#include "ui/workspace/jobs.h"

namespace kernelscape::frame {

/**
 * Uses desktop services over D-Bus where they are available: notifications, and suspend inhibition while a
 * run is active.
 */
class DesktopServices : public QObject {
  Q_OBJECT

 public:
  explicit DesktopServices(QObject* parent = nullptr);

  /** Shows a desktop notification. Does nothing if the desktop has no notification service. */
  void notify(const QString& title, const QString& text);
  /** Prevents automatic suspend of the machine while `awake` is true. */
  void keep_awake(bool awake);

 private:
  workspace::JobTracker notify_job_;
  workspace::JobTracker inhibit_job_;
  bool awake_ = false;
  QDBusUnixFileDescriptor inhibition_;  ///< the inhibition lasts until this descriptor is closed
};

}  // namespace kernelscape::frame
