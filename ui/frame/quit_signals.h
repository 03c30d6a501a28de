#pragma once

#include <QObject>

class QSocketNotifier;

namespace kernelscape::frame {

/**
 * Converts SIGTERM, SIGINT and SIGHUP into a Qt signal on the window's thread. At most one instance may
 * exist. The second signal ends the process at once.
 */
class QuitSignals : public QObject {
  Q_OBJECT

 public:
  explicit QuitSignals(QObject* parent = nullptr);
  ~QuitSignals() override;

 signals:
  /**
   * The first of the signals arrived. The next SIGTERM or SIGINT ends the process at once; SIGHUP has no
   * further effect.
   */
  void quit_requested();

 private:
  QSocketNotifier* notifier_ = nullptr;
};

}  // namespace kernelscape::frame
