#pragma once

#include <QWidget>

#include "ui/frame/throttle.h"
#include "ui/workspace/workspace.h"

class QLabel;
class QProgressBar;
class QToolButton;

namespace kernelscape::workspace {
struct RunView;
struct StudyRunView;
}  // namespace kernelscape::workspace

namespace kernelscape::frame {

/**
 * Shows the active run, its progress, the queue, and which devices are used; updated at most twice a second.
 */
class StatusLine : public QWidget {
  Q_OBJECT

 public:
  explicit StatusLine(workspace::Workspace& workspace, QWidget* parent = nullptr);

 signals:
  /** The user clicked the run that is shown; its session is to be opened. */
  void session_requested(kernelscape::store::SessionId id);
  /** The user clicked the study whose progress is shown. */
  void study_requested(kernelscape::store::StudyId id);

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  void update_texts();
  void show_run(const workspace::RunView& run);
  void show_study(const workspace::StudyRunView& study);
  void show_nothing();
  QString device_text(const std::optional<workspace::RunView>& active,
                      const std::optional<workspace::StudyRunView>& study) const;
  void request_shown();

  workspace::Workspace& workspace_;
  std::optional<store::SessionId> session_;
  std::optional<store::StudyId> study_;
  QToolButton* title_;
  QProgressBar* progress_;
  QLabel* trials_;
  QLabel* speed_;
  QLabel* left_;
  QLabel* machine_;
  QLabel* queued_;
  QLabel* device_;
  Throttle throttle_;
};

}  // namespace kernelscape::frame
