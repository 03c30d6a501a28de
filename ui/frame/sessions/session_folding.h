#pragma once

#include <QObject>

class QDockWidget;
class QMainWindow;

namespace kernelscape {

/**
 * Folds the sessions of a window that is too narrow for them and a view, and brings them back when there is
 * room again. Whoever opens them meanwhile keeps them.
 */
class SessionFolding : public QObject {
  Q_OBJECT

 public:
  /** Both live longer. @param sessions a dock of the window */
  SessionFolding(QMainWindow& window, QDockWidget& sessions);

  /** The sessions were folded here: their user has them open. */
  bool folded() const { return folded_; }
  /** As the user left them, for a layout that is stored. */
  void unfold();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fit();

  QMainWindow& window_;
  QDockWidget& sessions_;
  bool narrow_ = false;
  bool folded_ = false;
};

}  // namespace kernelscape
