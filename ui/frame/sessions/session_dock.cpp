#include "ui/frame/sessions/session_dock.h"

#include <QInputDialog>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QVBoxLayout>

#include "ui/frame/sessions/queue_list.h"
#include "ui/frame/sessions/session_delegate.h"
#include "ui/models/session_text.h"
#include "ui/style/icons.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape {
namespace {

QListView* make_list(QAbstractItemModel& model, const Workspace& workspace, QWidget* parent) {
  auto* list = new QListView(parent);
  list->setModel(&model);
  list->setModelColumn(SessionModel::NameColumn);
  list->setItemDelegate(new SessionDelegate(workspace, list));
  list->setAccessibleName(SessionDock::tr("Sessions"));
  list->setFrameShape(QFrame::NoFrame);
  list->setUniformItemSizes(true);
  list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list->setContextMenuPolicy(Qt::CustomContextMenu);
  list->setEditTriggers(QAbstractItemView::NoEditTriggers);
  return list;
}

}  // namespace

SessionDock::SessionDock(Workspace& workspace, SessionActions& actions, QWidget* parent)
    : QDockWidget(tr("Sessions"), parent),
      workspace_(workspace),
      actions_(actions),
      model_(workspace),
      list_(make_list(model_, workspace, this)),
      empty_(
          new QLabel(tr("Sessions appear here as soon as one runs, also those of the command line."), this)) {
  setObjectName(QStringLiteral("sessions"));
  setAccessibleName(tr("Sessions"));
  auto* content = new QWidget(this);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(new QueueList(workspace.queue(), content));
  column->addWidget(list_, 1);
  column->addWidget(empty_, 1);
  empty_->setWordWrap(true);
  empty_->setAlignment(Qt::AlignTop);
  empty_->setMargin(16);
  empty_->setForegroundRole(QPalette::PlaceholderText);
  setWidget(content);
  connect(list_, &QListView::activated, this,
          [this](const QModelIndex& index) { actions_.open(id_of(index)); });
  connect(list_, &QListView::clicked, this,
          [this](const QModelIndex& index) { actions_.open(id_of(index)); });
  connect(list_, &QWidget::customContextMenuRequested, this, [this](const QPoint& position) {
    const QModelIndex index = list_->indexAt(position);
    show_menu(index.isValid() ? index : list_->currentIndex(), list_->viewport()->mapToGlobal(position));
  });
  for (const auto signal : {&Workspace::source_changed, &Workspace::pinned_changed})
    connect(&workspace_, signal, list_->viewport(), qOverload<>(&QWidget::update));
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(&model_, signal, this, &SessionDock::update_state);
  update_state();
}

SessionId SessionDock::id_of(const QModelIndex& index) const {
  return index.data(SessionModel::SessionIdRole).toLongLong();
}

void SessionDock::update_state() {
  list_->setVisible(model_.rowCount() > 0);
  empty_->setVisible(model_.rowCount() == 0);
}

void SessionDock::show_menu(const QModelIndex& index, const QPoint& position) {
  const SessionEntry* session = model_.session(index);
  if (session == nullptr) return;
  const SessionId id = session->summary.record.id;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Open"), this, [this, id] { actions_.open(id); });
  QAction* pin = menu->addAction(icon(QStringLiteral("pin")), tr("Pin as ghost curve"), this,
                                 [this, id] { actions_.toggle_pinned(id); });
  pin->setCheckable(true);
  pin->setChecked(workspace_.pinned().contains(id));
  menu->addSeparator();
  if (const auto run = actions_.run_of(id)) {
    menu->addAction(icon(QStringLiteral("pause")), tr("Pause"), this, [this, id] { actions_.pause(id); });
    menu->addAction(icon(QStringLiteral("stop")), tr("Stop"), this, [this, id] { actions_.stop(id); });
  } else {
    QAction* resume = menu->addAction(icon(QStringLiteral("resume")), tr("Resume"), this,
                                      [this, id] { actions_.resume(id); });
    resume->setEnabled(session->summary.status.state == SessionState::Interrupted);
    if (!resume->isEnabled())
      resume->setToolTip(tr("It is %1: only a paused or interrupted session goes on from here")
                             .arg(session_state_text(*session)));
    menu->setToolTipsVisible(true);
  }
  menu->addSeparator();
  menu->addAction(tr("Rename..."), this, [this, id] { ask_name(id); });
  menu->addAction(icon(QStringLiteral("copy")), tr("Duplicate as new run"), this,
                  [this, id] { actions_.duplicate(id); });
  menu->popup(position);
}

void SessionDock::ask_name(SessionId id) {
  const int row = model_.row_of(id);
  if (row < 0) return;
  auto* dialog = new QInputDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Rename session %1").arg(id));
  dialog->setLabelText(tr("Name:"));
  dialog->setTextValue(session_title(*model_.session(model_.index(row, 0))));
  connect(dialog, &QInputDialog::textValueSelected, this,
          [this, id](const QString& name) { actions_.rename(id, name); });
  dialog->open();
}

}  // namespace kernelscape
