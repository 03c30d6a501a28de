#include "ui/frame/sessions/queue_list.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>

#include "ui/style/icons.h"

namespace kernelscape::frame {
namespace {

constexpr int max_rows = 6;
constexpr int queue_icon_size = 16;

}  // namespace

QueueList::QueueList(workspace::RunQueue& queue, QWidget* parent)
    : QListWidget(parent), queue_(queue), throttle_([this] { update_rows(); }, this) {
  setAccessibleName(tr("Queued runs"));
  setFrameShape(QFrame::NoFrame);
  setIconSize({queue_icon_size, queue_icon_size});
  setSpacing(2);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(&queue_, &workspace::RunQueue::changed, this, [this] { throttle_.request(); });
  update_rows();
}

workspace::RunId QueueList::run_of(const QListWidgetItem& item) const {
  return item.data(Qt::UserRole).toLongLong();
}

void QueueList::update_rows() {
  QList<QPair<workspace::RunId, QString>> wanted;
  for (const workspace::RunView& run : queue_.runs()) {
    if (workspace::has_ended(run.state) || (run.session && run.state == workspace::RunState::Running))
      continue;
    const std::string_view state = workspace::to_string(run.state);
    wanted.append({run.id, QStringLiteral("%1: %2").arg(
                               QString::fromStdString(run.title),
                               QString::fromUtf8(state.data(), static_cast<qsizetype>(state.size())))});
  }
  // Rows are changed in place, so that the selected row stays selected.
  while (count() > wanted.size()) delete takeItem(count() - 1);
  while (count() < wanted.size())
    addItem(new QListWidgetItem(style::icon(QStringLiteral("queue")), QString()));
  for (int row = 0; row < count(); ++row) {
    item(row)->setText(wanted[row].second);
    item(row)->setData(Qt::UserRole, QVariant::fromValue<qlonglong>(wanted[row].first));
  }
  setVisible(count() > 0);
  updateGeometry();
}

QSize QueueList::sizeHint() const {
  const int row_height = count() > 0 ? sizeHintForRow(0) : 0;
  return {0, std::min(count(), max_rows) * (row_height + 2 * spacing()) + 2 * spacing()};
}

void QueueList::contextMenuEvent(QContextMenuEvent* event) {
  const QListWidgetItem* clicked = itemAt(event->pos());
  if (event->reason() == QContextMenuEvent::Keyboard) clicked = currentItem();
  if (clicked == nullptr) return;
  const workspace::RunId run = run_of(*clicked);
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Run next"), this, [this, run] { queue_.move_to_front(run); });
  menu->addAction(tr("Remove from the queue"), this, [this, run] { queue_.stop(run); });
  menu->popup(event->globalPos());
}

void QueueList::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Delete && currentItem() != nullptr) {
    queue_.stop(run_of(*currentItem()));
  } else {
    QListWidget::keyPressEvent(event);
  }
}

}  // namespace kernelscape::frame
