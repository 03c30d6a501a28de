#include "ui/views/library/sessions_page.h"

#include <QHeaderView>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/models/session_text.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/views/library/comparison_panel.h"
#include "ui/views/library/page_head.h"
#include "ui/views/library/session_panel.h"
#include "ui/widgets/action_bar.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/library_table.h"
#include "ui/widgets/progress_delegate.h"

namespace kernelscape::views {
namespace {

store::SessionId id_of(const workspace::SessionEntry& session) { return session.summary.record.id; }

QString sessions_text(std::ptrdiff_t count) {
  return count == 1 ? SessionsPage::tr("1 session")
                    : SessionsPage::tr("%1 sessions").arg(style::format_count(count));
}

/** Returns "2 sessions", "1 collection" or "2 sessions and 1 collection". */
QString deleted_text(std::ptrdiff_t sessions, std::ptrdiff_t collections) {
  const QString groups = collections == 1
                             ? SessionsPage::tr("1 collection")
                             : SessionsPage::tr("%1 collections").arg(style::format_count(collections));
  if (collections == 0) return sessions_text(sessions);
  return sessions == 0 ? groups : SessionsPage::tr("%1 and %2").arg(sessions_text(sessions), groups);
}

}  // namespace

SessionsPage::SessionsPage(workspace::Workspace& workspace, workspace::Remeasure remeasure, QWidget* parent)
    : QWidget(parent), workspace_(workspace), model_(workspace), measuring_(workspace, std::move(remeasure)) {
  setAccessibleName(tr("Sessions"));
  order_.setSourceModel(&model_);
  head_ = new PageHead(tr("Search name, task, shape, tuner, tags, note"), tr("sessions"));
  connect(head_, &PageHead::searched, this, [this](const QString& text) {
    model_.set_search(text);
    update_shown();
  });
  comparison_ = new ComparisonPanel(workspace_);
  comparison_->hide();
  halves_ = new QSplitter(Qt::Vertical);
  halves_->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(head_);
  halves_->addWidget(make_middle());
  halves_->addWidget(comparison_);
  layout->addWidget(halves_, 1);
  make_bars();
  layout->addWidget(measuring_bar_);
  layout->addWidget(undo_bar_);

  connect(comparison_, &ComparisonPanel::closed, comparison_, &QWidget::hide);
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(&order_, signal, this, &SessionsPage::update_shown);
  connect(&model_, &QAbstractItemModel::rowsRemoved, this, &SessionsPage::update_selection);
  connect(&model_, &QAbstractItemModel::dataChanged, this, &SessionsPage::update_selection);
  update_shown();
}

QWidget* SessionsPage::make_middle() {
  table_ = new widgets::LibraryTable(tr("Sessions"));
  table_->setModel(&order_);
  // Names derived from shapes differ at their ends.
  table_->setTextElideMode(Qt::ElideMiddle);
  table_->setSortingEnabled(true);
  table_->sortByColumn(models::SessionModel::IdColumn, Qt::DescendingOrder);
  table_->setItemDelegateForColumn(models::SessionModel::ProgressColumn,
                                   new widgets::ProgressDelegate(models::SessionModel::ProgressRole, table_));
  empty_ = new widgets::EmptyState;
  stack_ = new QStackedWidget;
  stack_->addWidget(table_);
  stack_->addWidget(empty_);
  panel_ = new SessionPanel(workspace_);
  panel_->setMinimumWidth(30 * style::grid_pixels);
  auto* middle = new QSplitter(Qt::Horizontal);
  middle->addWidget(stack_);
  middle->addWidget(panel_);
  middle->setStretchFactor(0, 1);
  middle->setChildrenCollapsible(false);
  connect(table_, &widgets::LibraryTable::rows_selected, this, &SessionsPage::update_selection);
  connect(table_, &widgets::LibraryTable::row_opened, this, &SessionsPage::open_row);
  connect(empty_, &widgets::EmptyState::action_triggered, this, [this] {
    if (!model_.searching()) return emit new_run_requested();
    head_->clear_search();
    head_->focus_search();
  });
  return middle;
}

void SessionsPage::make_bars() {
  undo_bar_ = new widgets::ActionBar(tr("Deleted sessions"));
  measuring_bar_ = new widgets::ActionBar(tr("Measuring the best again"));
  connect(undo_bar_, &widgets::ActionBar::action_triggered, this, &SessionsPage::undo_delete);
  connect(measuring_bar_, &widgets::ActionBar::action_triggered, this, [this] {
    measuring_.stop();
    measuring_bar_->notify(tr("Stopping\u2026"), QString());
  });
  connect(&measuring_, &workspace::MeasuringAgain::finished, this, &SessionsPage::notify_measured);
}

void SessionsPage::set_actions(const QList<QAction*>& tool_bar, const QList<QAction*>& context_menu) {
  head_->add_actions(tool_bar);
  table_->set_actions(context_menu);
}

std::vector<workspace::SessionEntry> SessionsPage::selected() const {
  std::vector<workspace::SessionEntry> sessions;
  for (const int row : table_->selected_rows())
    if (const workspace::SessionEntry* session = model_.session(order_.mapToSource(order_.index(row, 0))))
      sessions.push_back(*session);
  return sessions;
}

std::vector<workspace::SessionCollection> SessionsPage::chosen_collections() const {
  std::vector<workspace::SessionCollection> collections;
  for (const int row : table_->selected_rows())
    if (const workspace::SessionCollection* collection =
            model_.collection(order_.mapToSource(order_.index(row, 0))))
      collections.push_back(*collection);
  return collections;
}

std::vector<store::StudyId> SessionsPage::selected_collections() const {
  std::vector<store::StudyId> ids;
  for (const workspace::SessionCollection& collection : chosen_collections())
    ids.push_back(collection.summary.id);
  return ids;
}

/** Opens a row; a collection expands to its sessions in the same table. */
void SessionsPage::open_row(int row) {
  const QModelIndex index = order_.mapToSource(order_.index(row, 0));
  if (const workspace::SessionCollection* collection = model_.collection(index)) {
    model_.toggle(collection->summary.id);
  } else {
    emit session_opened(index.data(models::SessionModel::SessionIdRole).toLongLong());
  }
}

void SessionsPage::update_selection() {
  panel_->show_selection(selected(), chosen_collections());
  emit selection_changed();
}

void SessionsPage::update_shown() {
  const std::ptrdiff_t all = model_.all_sessions();
  head_->set_count(
      model_.searching()
          ? tr("%1 of %2").arg(style::format_count(model_.found_sessions()), style::format_count(all))
          : sessions_text(all));
  if (all == 0) {
    empty_->set_text(tr("No session yet"),
                     tr("A session is one run of a tuner on a task. All its measurements are stored here."),
                     tr("New run"));
  } else {
    empty_->set_text(tr("No session matches"),
                     tr("No name, task, shape, tuner, tag or note has all the words of \u201c%1\u201d.")
                         .arg(head_->search()),
                     tr("Clear the search"));
  }
  stack_->setCurrentIndex(order_.rowCount() == 0 ? 1 : 0);
}

void SessionsPage::focus_search() { head_->focus_search(); }

void SessionsPage::rename_selected() { panel_->edit_name(); }

/** Closes deleted sessions that are shown elsewhere in the window. */
void SessionsPage::close_deleted(const Deleted& deleted) {
  if (!workspace_.opened()) return;
  const store::SessionId opened = *workspace_.opened();
  const auto entry = std::ranges::find(*workspace_.sessions(), opened, id_of);
  const bool inside =
      entry != workspace_.sessions()->end() && entry->summary.study &&
      std::ranges::find(deleted.collections, *entry->summary.study) != deleted.collections.end();
  if (inside || std::ranges::find(deleted.sessions, opened) != deleted.sessions.end())
    workspace_.close_source();
}

void SessionsPage::delete_selected() {
  Deleted deleted;
  const std::vector<store::StudyId> collections = selected_collections();
  for (const workspace::SessionEntry& session : selected()) {
    // A session that is deleted with its collection is restored with it.
    if (session.summary.study && std::ranges::find(collections, *session.summary.study) != collections.end())
      continue;
    const store::SessionId id = id_of(session);
    if (workspace_.write([id](store::Store& store) { return store.sessions().trash(id); }))
      deleted.sessions.push_back(id);
  }
  for (const store::StudyId id : collections) {
    if (workspace_.write([id](store::Store& store) { return store.studies().trash(id); }))
      deleted.collections.push_back(id);
  }
  if (deleted.empty()) return;
  close_deleted(deleted);
  const bool one = deleted.sessions.size() == 1 && deleted.collections.empty();
  undo_bar_->notify(
      one ? tr("Deleted session %1").arg(deleted.sessions.front())
          : tr("Deleted %1").arg(deleted_text(std::ssize(deleted.sessions), std::ssize(deleted.collections))),
      tr("Undo"));
  deleted_.push_back(std::move(deleted));
  emit undo_changed();
}

void SessionsPage::undo_delete() {
  if (deleted_.empty()) return;
  const Deleted wanted = std::move(deleted_.back());
  deleted_.pop_back();
  Deleted left;
  for (const store::SessionId id : wanted.sessions) {
    if (!workspace_.write([id](store::Store& store) { return store.sessions().restore(id); }))
      left.sessions.push_back(id);
  }
  for (const store::StudyId id : wanted.collections) {
    if (!workspace_.write([id](store::Store& store) { return store.studies().restore(id); }))
      left.collections.push_back(id);
  }
  const QString restored = deleted_text(std::ssize(wanted.sessions) - std::ssize(left.sessions),
                                        std::ssize(wanted.collections) - std::ssize(left.collections));
  if (!left.empty()) deleted_.push_back(std::move(left));
  undo_bar_->notify(tr("Restored %1").arg(restored), deleted_.empty() ? QString() : tr("Undo"));
  emit undo_changed();
}

void SessionsPage::show_side_by_side() {
  const std::vector<workspace::SessionEntry> sessions = selected();
  if (sessions.size() != 2) return;
  // The older session comes first, whatever the sort order of the table.
  comparison_->show();
  comparison_->compare(std::min(id_of(sessions[0]), id_of(sessions[1])),
                       std::max(id_of(sessions[0]), id_of(sessions[1])));
}

void SessionsPage::measure_selected_again() {
  const std::vector<workspace::SessionEntry> sessions = selected();
  if (sessions.size() != 1 || measuring_.busy()) return;
  const store::SessionId id = id_of(sessions.front());
  std::optional<std::int64_t> extra;
  const workspace::Source& source = workspace_.source();
  if (source && source->id() == id && workspace_.current_row() != analysis::no_row) {
    const trial::Row row = source->trials.row(workspace_.current_row());
    if (row.category == trial::ErrorCategory::NoError) extra = row.number;
  }
  measuring_.start(id, extra);
  measuring_bar_->notify(
      extra ? tr("Measuring the best of session %1 and trial %2 again, beside the vendor's library\u2026")
                  .arg(id)
                  .arg(*extra)
            : tr("Measuring the best of session %1 again, beside the vendor's library\u2026").arg(id),
      tr("Stop"));
  emit selection_changed();
}

void SessionsPage::notify_measured(store::SessionId id, bool measured, const QString& found) {
  measuring_bar_->notify(measured ? tr("Session %1: the best was measured again. %2").arg(id).arg(found)
                                  : tr("Session %1: the best was not measured again").arg(id),
                         QString());
  emit selection_changed();
}

}  // namespace kernelscape::views
