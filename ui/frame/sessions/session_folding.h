#pragma once

#include <QObject>

class QDockWidget;
class QMainWindow;

namespace kernelscape::frame {

/**
 * Hides the session list when the window is too narrow for the list and a view, and shows it again when there
 * is room. If the user opens the list meanwhile, it stays open.
 */
class SessionFolding : public QObject {
  Q_OBJECT

 public:
  /** @param window must outlive this object, and so must `sessions` @param sessions a dock of the window */
  SessionFolding(QMainWindow& window, QDockWidget& sessions);

  /** Returns true if this object has hidden the session list although the user had it open. */
  bool folded() const { return folded_; }
  /** Restores the visibility that the user chose, before a layout is stored. */
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

}  // namespace kernelscape::frame
