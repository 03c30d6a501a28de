#include "ui/frame/close_guard.h"

#include <QPushButton>
#include <utility>

#include "ui/style/icons.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape::frame {
namespace {

constexpr int question_icon_size = 48;

}  // namespace

CloseGuard::CloseGuard(workspace::RunQueue& queue, QWidget* window)
    : QObject(window), queue_(queue), window_(window) {
  connect(&queue_, &workspace::RunQueue::changed, this, [this] {
    if (then_ && !question_) wait();
  });
}

void CloseGuard::leave(const QString& deed, std::function<void()> then) {
  if (queue_.idle()) return then();
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
  queue_.pause_all();
  wait();
}

void CloseGuard::ask(const QString& deed) {
  question_ = new QMessageBox(window_);
  question_->setAttribute(Qt::WA_DeleteOnClose);
  question_->setIconPixmap(style::application_icon().pixmap(question_icon_size));
  question_->setWindowTitle(tr("Kernelscape"));
  const std::size_t queued = queue_.queued_count();
  question_->setText(queued == 0 ? tr("A run is active.") : tr("A run is active, and more runs are queued."));
  question_->setInformativeText(
      queued == 0
          ? tr("All measurements are kept. A paused run can be resumed later.")
          : tr("All measurements are kept. A paused run can be resumed later; queued runs are discarded."));
  const QPushButton* pause = question_->addButton(tr("Pause and %1").arg(deed), QMessageBox::AcceptRole);
  const QPushButton* stop = question_->addButton(tr("Stop and %1").arg(deed), QMessageBox::DestructiveRole);
  question_->addButton(QMessageBox::Cancel);
  connect(question_, &QMessageBox::buttonClicked, this, [this, pause, stop](const QAbstractButton* button) {
    question_.clear();
    if (button == pause) {
      queue_.pause_all();
    } else if (button == stop) {
      queue_.stop_all();
    } else {
      then_ = nullptr;
      return;
    }
    wait();
  });
  question_->open();
}

/** The trial in progress is finished first, which takes as long as one trial. */
void CloseGuard::wait() {
  if (!queue_.idle()) return;
  const std::function<void()> then = std::exchange(then_, nullptr);
  if (then) then();
}

}  // namespace kernelscape::frame
