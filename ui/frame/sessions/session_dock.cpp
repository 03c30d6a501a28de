#include "ui/frame/sessions/session_dock.h"

#include <QInputDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QVBoxLayout>

#include "ui/frame/sessions/queue_list.h"
#include "ui/frame/sessions/session_delegate.h"
#include "ui/models/session_text.h"
#include "ui/style/icons.h"
#include "ui/views/runs/resume_dialog.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape::frame {
namespace {

QListView* make_list(QAbstractItemModel& model, const workspace::Workspace& workspace, QWidget* parent) {
  auto* list = new QListView(parent);
  list->setModel(&model);
  list->setModelColumn(models::SessionModel::NameColumn);
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

QLineEdit* make_search(QWidget* parent) {
  auto* search = new QLineEdit(parent);
  search->setPlaceholderText(SessionDock::tr("Search name, shape, tuner, tags"));
  search->setAccessibleName(SessionDock::tr("Search the list of sessions"));
  search->setClearButtonEnabled(true);
  search->addAction(style::icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  return search;
}

}  // namespace

SessionDock::SessionDock(workspace::Workspace& workspace, SessionActions& actions, QWidget* parent)
    : QDockWidget(tr("Sessions"), parent),
      workspace_(workspace),
      actions_(actions),
      model_(workspace),
      search_(make_search(this)),
      list_(make_list(model_, workspace, this)),
      empty_(new QLabel(this)) {
  setObjectName(QStringLiteral("sessions"));
  setAccessibleName(tr("Sessions"));
  auto* content = new QWidget(this);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(new QueueList(workspace.queue(), content));
  column->addWidget(search_);
  column->addWidget(list_, 1);
  column->addWidget(empty_, 1);
  empty_->setWordWrap(true);
  empty_->setAlignment(Qt::AlignTop);
  empty_->setMargin(16);
  empty_->setForegroundRole(QPalette::PlaceholderText);
  setWidget(content);
  list_->installEventFilter(this);
  connect(list_, &QListView::activated, this, [this](const QModelIndex& index) {
    // The second click of a double click comes after the first one has expanded a collection.
    if (model_.session(index) != nullptr) open_row(index);
  });
  connect(list_, &QListView::clicked, this, &SessionDock::open_row);
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
    model_.set_search(text);
    update_state();
  });
  connect(&actions_, &SessionActions::collection_opened, this, &SessionDock::show_collection);
  connect(list_, &QWidget::customContextMenuRequested, this, [this](const QPoint& position) {
    const QModelIndex index = list_->indexAt(position);
    show_menu(index.isValid() ? index : list_->currentIndex(), list_->viewport()->mapToGlobal(position));
  });
  for (const auto signal : {&workspace::Workspace::source_changed, &workspace::Workspace::pinned_changed})
    connect(&workspace_, signal, list_->viewport(), qOverload<>(&QWidget::update));
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(&model_, signal, this, &SessionDock::update_state);
  connect(&model_, &QAbstractItemModel::modelReset, this, &SessionDock::update_state);
  update_state();
}

store::SessionId SessionDock::id_of(const QModelIndex& index) const {
  return index.data(models::SessionModel::SessionIdRole).toLongLong();
}

void SessionDock::open_row(const QModelIndex& index) {
  if (const workspace::SessionCollection* collection = model_.collection(index)) {
    model_.toggle(collection->summary.id);
  } else if (const store::SessionId id = id_of(index); id != 0) {
    actions_.open(id);
  }
}

void SessionDock::show_collection(store::StudyId id) {
  search_->clear();
  model_.set_open(id, true);
  show();
  raise();
  const QModelIndex index = model_.index(model_.row_of_collection(id), models::SessionModel::NameColumn);
  if (!index.isValid()) return;
  list_->setCurrentIndex(index);
  list_->scrollTo(index, QAbstractItemView::PositionAtTop);
  list_->setFocus();
}

bool SessionDock::eventFilter(QObject* watched, QEvent* event) {
  if (watched != list_ || event->type() != QEvent::KeyPress) return QDockWidget::eventFilter(watched, event);
  const QModelIndex current = list_->currentIndex();
  const store::StudyId id = current.data(models::SessionModel::CollectionIdRole).toLongLong();
  if (id == 0) return QDockWidget::eventFilter(watched, event);
  const bool on_collection = model_.collection(current) != nullptr;
  const int key = static_cast<const QKeyEvent*>(event)->key();
  if (on_collection && (key == Qt::Key_Return || key == Qt::Key_Enter)) {
    model_.toggle(id);
  } else if (on_collection && key == Qt::Key_Right) {
    model_.set_open(id, true);
  } else if (key == Qt::Key_Left) {
    // From a session, move to its collection first.
    if (on_collection) model_.set_open(id, false);
    list_->setCurrentIndex(model_.index(model_.row_of_collection(id), models::SessionModel::NameColumn));
  } else {
    return QDockWidget::eventFilter(watched, event);
  }
  return true;
}

void SessionDock::update_state() {
  empty_->setText(
      model_.searching()
          ? tr("No session contains all these words in its name, task, shape, tuner, tags or note.")
          : tr("Sessions appear here as soon as they start, including those of the command line."));
  // A single session needs no search.
  search_->setVisible(model_.searching() || model_.all_sessions() > 1);
  list_->setVisible(model_.rowCount() > 0);
  empty_->setVisible(model_.rowCount() == 0);
}

void SessionDock::show_menu(const QModelIndex& index, const QPoint& position) {
  if (const workspace::SessionCollection* collection = model_.collection(index))
    return show_collection_menu(*collection, position);
  const workspace::SessionEntry* session = model_.session(index);
  if (session == nullptr) return;
  const store::SessionId id = session->summary.record.id;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Open"), this, [this, id] { actions_.open(id); });
  QAction* pin = menu->addAction(style::icon(QStringLiteral("pin")), tr("Pin as ghost curve"), this,
                                 [this, id] { actions_.toggle_pinned(id); });
  pin->setCheckable(true);
  pin->setChecked(workspace_.pinned().contains(id));
  menu->addSeparator();
  if (const auto run = actions_.run_of(id)) {
    menu->addAction(style::icon(QStringLiteral("pause")), tr("Pause"), this,
                    [this, id] { actions_.pause(id); });
    menu->addAction(style::icon(QStringLiteral("stop")), tr("Stop"), this, [this, id] { actions_.stop(id); });
  } else {
    add_resume(*menu, *session);
    menu->setToolTipsVisible(true);
  }
  menu->addSeparator();
  menu->addAction(tr("Rename..."), this, [this, id] { ask_name(id); });
  menu->addAction(style::icon(QStringLiteral("copy")), tr("Duplicate as new run"), this,
                  [this, id] { actions_.duplicate(id); });
  menu->addSeparator();
  add_taking_home(*menu, *session);
  menu->popup(position);
}

/** Adds the action that resumes a session; for a finished session it asks for a larger budget. */
void SessionDock::add_resume(QMenu& menu, const workspace::SessionEntry& session) {
  const QIcon icon = style::icon(QStringLiteral("resume"));
  if (views::can_raise_budget(session)) {
    menu.addAction(icon, tr("Resume…"), this, [this, finished = views::finished_session(session)] {
      (new views::ResumeDialog(workspace_, finished, this))->show();
    });
    return;
  }
  QAction* resume = menu.addAction(icon, tr("Resume"), this,
                                   [this, id = session.summary.record.id] { actions_.resume(id); });
  const QString client = views::client_resume_text(session.summary.record);
  resume->setEnabled(session.summary.status.state == store::SessionState::Interrupted && client.isEmpty());
  if (!client.isEmpty())
    resume->setToolTip(client);
  else if (!resume->isEnabled())
    resume->setToolTip(
        tr("The session is %1, so it can't be resumed.").arg(models::session_state_text(session)));
}

void SessionDock::show_collection_menu(const workspace::SessionCollection& collection,
                                       const QPoint& position) {
  const store::StudyId id = collection.summary.id;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(model_.is_open(id) ? tr("Close") : tr("Open"), this, [this, id] { model_.toggle(id); });
  menu->addAction(tr("Rename..."), this, [this, collection] { ask_collection_name(collection); });
  menu->popup(position);
}

/** Adds the actions on the session as a whole, in the same order as in the Library view. */
void SessionDock::add_taking_home(QMenu& menu, const workspace::SessionEntry& session) {
  const store::SessionId id = session.summary.record.id;
  const QString title = models::session_title(session);
  menu.addAction(style::icon(QStringLiteral("compare")), tr("Compare with the open session"), this,
                 [this, id] { emit actions_.comparison_requested(id); });
  menu.addAction(style::icon(QStringLiteral("export")), tr("Export..."), this,
                 [this, id] { emit actions_.export_requested(id); });
  menu.addAction(tr("Report..."), this, [this, id, title] { emit actions_.report_requested(id, title); });
  menu.addSeparator();
  QAction* remove = menu.addAction(style::icon(QStringLiteral("trash")), tr("Delete"), this,
                                   [this, id, title] { actions_.remove(id, title); });
  remove->setEnabled(!models::session_runs(session));
  if (!remove->isEnabled()) remove->setToolTip(tr("The session is running. Stop it first."));
  menu.setToolTipsVisible(true);
}

void SessionDock::ask_name(store::SessionId id) {
  const int row = model_.row_of(id);
  if (row < 0) return;
  ask_text(tr("Rename session %1").arg(id), models::session_title(*model_.session(model_.index(row, 0))),
           [this, id](const QString& name) { actions_.rename(id, name); });
}

void SessionDock::ask_collection_name(const workspace::SessionCollection& collection) {
  const store::StudyId id = collection.summary.id;
  ask_text(tr("Rename collection %1").arg(id), models::collection_title(collection),
           [this, id](const QString& name) { actions_.rename_collection(id, name); });
}

void SessionDock::ask_text(const QString& title, const QString& text,
                           std::function<void(const QString&)> take) {
  auto* dialog = new QInputDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(title);
  dialog->setLabelText(tr("Name:"));
  dialog->setTextValue(text);
  connect(dialog, &QInputDialog::textValueSelected, this, std::move(take));
  dialog->open();
}

}  // namespace kernelscape::frame
