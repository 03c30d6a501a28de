#pragma once

#include <QWidget>

#include "ui/frame/throttle.h"
#include "ui/workspace/workspace.h"

class QLabel;
class QProgressBar;
class QToolButton;

namespace kernelscape {

struct RunView;
struct StudyRunView;

/**
 * Shows the active run, its progress, the queue, and the state of the device; updated at most twice a second.
 */
class StatusLine : public QWidget {
  Q_OBJECT

 public:
  explicit StatusLine(Workspace& workspace, QWidget* parent = nullptr);

 signals:
  /** The user clicked the run that is shown; its session is to be opened. */
  void session_requested(kernelscape::SessionId id);
  /** The user clicked the study whose progress is shown. */
  void study_requested(kernelscape::StudyId id);

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  void update_texts();
  void show_run(const RunView& run);
  void show_study(const StudyRunView& study);
  void show_nothing();
  QString device_text(const std::optional<RunView>& active) const;
  void request_shown();

  Workspace& workspace_;
  std::optional<SessionId> session_;
  std::optional<StudyId> study_;
  QToolButton* title_;
  QProgressBar* progress_;
  QLabel* trials_;
  QLabel* speed_;
  QLabel* left_;
  QLabel* queued_;
  QLabel* device_;
  Throttle throttle_;
};

}  // namespace kernelscape
