#pragma once

#include <QObject>

class QSocketNotifier;

namespace kernelscape {

/** SIGTERM, SIGINT and SIGHUP as an event of the window's thread. One at a time; the second ends at once. */
class QuitSignals : public QObject {
  Q_OBJECT

 public:
  explicit QuitSignals(QObject* parent = nullptr);
  ~QuitSignals() override;

 signals:
  /** The first of the signals arrived. The next SIGTERM or SIGINT ends at once, SIGHUP has no effect any
   * more. */
  void quit_requested();

 private:
  QSocketNotifier* notifier_ = nullptr;
};

}  // namespace kernelscape
