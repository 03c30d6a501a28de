#include "ui/frame/close_guard.h"

#include <QPushButton>
#include <utility>

#include "ui/style/icons.h"
#include "ui/workspace/run_queue.h"
#include "ui/workspace/study_runner.h"
#include "ui/workspace/training_runner.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::frame {
namespace {

constexpr int question_icon_size = 48;

}  // namespace

CloseGuard::CloseGuard(workspace::Workspace& workspace, QWidget* window)
    : QObject(window), workspace_(workspace), window_(window) {
  const auto look = [this] {
    if (then_ && !question_) wait();
  };
  connect(&workspace_.queue(), &workspace::RunQueue::changed, this, look);
  connect(&workspace_.study_runner(), &workspace::StoredWork::changed, this, look);
  connect(&workspace_.training_runner(), &workspace::StoredWork::changed, this, look);
}

void CloseGuard::leave(const QString& deed, std::function<void()> then) {
  if (idle()) return then();
  const bool shutting_down = then_ != nullptr;
  then_ = std::move(then);
  if (question_) {
    question_->raise();
    question_->activateWindow();
  } else if (!shutting_down) {
    ask(deed);
  }
}

void CloseGuard::leave_pausing(std::function<void()> then) {
  then_ = std::move(then);
  if (question_) question_->deleteLater();
  question_.clear();
  workspace_.queue().pause_all();
  stop_studies_and_trainings();
  wait();
}

bool CloseGuard::idle() const {
  return workspace_.queue().idle() && workspace_.study_runner().idle() && workspace_.training_runner().idle();
}

/** Returns what runs, one sentence for each kind. */
QString CloseGuard::active_text() const {
  QStringList texts;
  if (!workspace_.queue().idle())
    texts.append(workspace_.queue().queued_count() == 0 ? tr("A run is active.")
                                                        : tr("A run is active, and more runs are queued."));
  if (!workspace_.study_runner().idle()) texts.append(tr("A study is active."));
  if (!workspace_.training_runner().idle()) texts.append(tr("A training is active."));
  return texts.join(QLatin1Char(' '));
}

/** Stopped studies and trainings can be resumed, so that for them there is no difference to a pause. */
void CloseGuard::stop_studies_and_trainings() {
  workspace_.study_runner().stop_all();
  workspace_.training_runner().stop_all();
}

void CloseGuard::ask(const QString& deed) {
  question_ = new QMessageBox(window_);
  question_->setAttribute(Qt::WA_DeleteOnClose);
  question_->setIconPixmap(style::application_icon().pixmap(question_icon_size));
  question_->setWindowTitle(tr("Kernelscape"));
  question_->setText(active_text());
  question_->setInformativeText(
      workspace_.queue().queued_count() == 0
          ? tr("All measurements are kept. Whatever is paused can be resumed later.")
          : tr("All measurements are kept. A paused run can be resumed later; queued runs are discarded."));
  const QPushButton* pause = question_->addButton(tr("Pause and %1").arg(deed), QMessageBox::AcceptRole);
  const QPushButton* stop = question_->addButton(tr("Stop and %1").arg(deed), QMessageBox::DestructiveRole);
  question_->addButton(QMessageBox::Cancel);
  connect(question_, &QMessageBox::buttonClicked, this, [this, pause, stop](const QAbstractButton* button) {
    question_.clear();
    if (button == pause) {
      workspace_.queue().pause_all();
    } else if (button == stop) {
      workspace_.queue().stop_all();
    } else {
      then_ = nullptr;
      return;
    }
    stop_studies_and_trainings();
    wait();
  });
  question_->open();
}

/** The trial in progress is finished first, which takes as long as one trial. */
void CloseGuard::wait() {
  if (!idle()) return;
  const std::function<void()> then = std::exchange(then_, nullptr);
  if (then) then();
}

}  // namespace kernelscape::frame
