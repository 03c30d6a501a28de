#pragma once

#include <QMessageBox>
#include <QObject>
#include <QPointer>
#include <functional>

namespace kernelscape::workspace {
class Workspace;
}  // namespace kernelscape::workspace

namespace kernelscape::frame {

/**
 * Decides whether the window may close: asks what to do with unfinished runs, studies and trainings, and
 * waits until they have ended.
 */
class CloseGuard : public QObject {
  Q_OBJECT

 public:
  CloseGuard(workspace::Workspace& workspace, QWidget* window);

  /**
   * If something runs, asks the user what to do, without blocking. Calls `then` once nothing runs any more;
   * never calls it if the user cancels.
   * @param deed the action that follows, named on the buttons: "quit"
   */
  void leave(const QString& deed, std::function<void()> then);
  /** Pauses everything without asking; calls `then` once nothing runs any more. */
  void leave_pausing(std::function<void()> then);
  /** Returns the message box that asks the question, or null while no question is open. */
  QMessageBox* question() const { return question_; }

 private:
  bool idle() const;
  QString active_text() const;
  void stop_studies_and_trainings();
  void ask(const QString& deed);
  void wait();

  workspace::Workspace& workspace_;
  QWidget* window_;
  QPointer<QMessageBox> question_;
  std::function<void()> then_;
};

}  // namespace kernelscape::frame
