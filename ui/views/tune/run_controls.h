#pragma once

#include <QObject>
#include <QPointer>
#include <optional>

#include "ui/views/action_registry.h"
#include "ui/workspace/remeasurement.h"
#include "ui/workspace/run_queue.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::views {

class ResumeDialog;

/**
 * The actions on the active run and on the shown session: pause, stop, resume, and measure again. Their texts
 * and tool tips say what they do now, or why they can't be used.
 */
class RunControls : public QObject {
  Q_OBJECT

 public:
  /** @param view parent of the dialogs, and owner of this object @param remeasure measures trials again */
  RunControls(workspace::Workspace& workspace, ActionRegistry& actions, workspace::Remeasure remeasure,
              QWidget& view);

  QAction* pause_action() const { return pause_; }    ///< pauses the active run, or resumes the session
  QAction* stop_action() const { return stop_; }      ///< stops the active run
  QAction* resume_action() const { return resume_; }  ///< resumes the shown session

  /** Shows the dialog that measures one trial again, and makes the trial the current one. */
  void measure_trial(std::int64_t row);
  /** Updates the actions; to be called when the queue or the shown session changed. */
  void update();

 signals:
  /** A message for the notice bar. */
  void notified(const QString& text);

 private:
  void add_actions(ActionRegistry& actions);
  void connect_measuring();
  void pause_or_resume();
  void stop();
  void resume();
  void measure_best_again();
  void update_pause(const std::optional<workspace::RunView>& active, const QString& problem);
  void update_resume(const QString& problem);
  /** Returns why the shown session can't be resumed; empty: it can. */
  QString resume_problem();

  workspace::Workspace& workspace_;
  QWidget& view_;
  QAction* pause_ = nullptr;
  QAction* stop_ = nullptr;
  QAction* resume_ = nullptr;
  QAction* measure_ = nullptr;
  QPointer<ResumeDialog> resume_dialog_;
  workspace::MeasuringAgain measuring_;
};

}  // namespace kernelscape::views
