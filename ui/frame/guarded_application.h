#pragma once

#include <QApplication>
#include <set>
#include <string>

#include "core/base/result.h"

namespace kernelscape::frame {

/**
 * An application in which an exception that leaves a slot or an event handler ends that event alone, and is
 * reported by failed(). Without it the exception would pass through Qt's event loop, which ends the window
 * and its sessions.
 */
class GuardedApplication : public QApplication {
  Q_OBJECT

 public:
  using QApplication::QApplication;

  bool notify(QObject* receiver, QEvent* event) override;

 signals:
  /** An event ended by an exception. Each message is reported once: a view that fails fails each time it is
   * drawn. */
  void failed(const Error& error);

 private:
  std::set<std::string> reported_;
};

}  // namespace kernelscape::frame
