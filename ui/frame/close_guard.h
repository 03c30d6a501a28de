#pragma once

#include <QMessageBox>
#include <QObject>
#include <QPointer>
#include <functional>

namespace kernelscape {

class RunQueue;

/** Lets the window go when no run needs it any more: asks what to do with runs, and waits for them. */
class CloseGuard : public QObject {
  Q_OBJECT

 public:
  CloseGuard(RunQueue& queue, QWidget* window);

  /**
   * Asks where something runs, without blocking; calls `then` once nothing does. Cancelled: never.
   * @param deed what comes then, on the buttons: "quit"
   */
  void leave(const QString& deed, std::function<void()> then);
  /** Pauses what runs without asking. */
  void leave_pausing(std::function<void()> then);
  /** The question, while it is asked. */
  QMessageBox* question() const { return question_; }

 private:
  void ask(const QString& deed);
  void wait();

  RunQueue& queue_;
  QWidget* window_;
  QPointer<QMessageBox> question_;
  std::function<void()> then_;
};

}  // namespace kernelscape
