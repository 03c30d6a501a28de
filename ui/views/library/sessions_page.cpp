#include "ui/views/library/sessions_page.h"

#include <QHeaderView>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/models/session_text.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/views/library/action_bar.h"
#include "ui/views/library/comparison_panel.h"
#include "ui/views/library/page_head.h"
#include "ui/views/library/progress_delegate.h"
#include "ui/views/library/session_panel.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/library_table.h"

namespace kernelscape {
namespace {

/** What the search looks at, and nothing else: a number in a column would match by chance. */
QString searched_text(const SessionModel& model, int row) {
  const SessionEntry* session = model.session(model.index(row, 0));
  return QStringList{session_title(*session), QString::fromStdString(session->summary.record.task_name),
                     QString::fromStdString(session->summary.record.tuner),
                     tags_of(session->summary.annotation).join(QLatin1Char(' ')),
                     QString::fromStdString(session->summary.annotation.note)}
      .join(QLatin1Char('\n'));
}

SessionId id_of(const SessionEntry& session) { return session.summary.record.id; }

QString sessions_text(std::ptrdiff_t count) {
  return count == 1 ? SessionsPage::tr("1 session")
                    : SessionsPage::tr("%1 sessions").arg(format_count(count));
}

}  // namespace

SessionsPage::SessionsPage(Workspace& workspace, Remeasure remeasure, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      model_(workspace),
      filter_([this](int row) { return searched_text(model_, row); }, SessionModel::SortRole),
      measuring_(workspace, std::move(remeasure)) {
  setAccessibleName(tr("Sessions"));
  filter_.setSourceModel(&model_);
  head_ = new PageHead(tr("Search name, task, tuner, tags, note"), tr("sessions"));
  connect(head_, &PageHead::searched, this, [this](const QString& text) {
    filter_.set_search(text);
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
    connect(&filter_, signal, this, &SessionsPage::update_shown);
  connect(&model_, &QAbstractItemModel::rowsRemoved, this, &SessionsPage::update_selection);
  connect(&model_, &QAbstractItemModel::dataChanged, this, &SessionsPage::update_selection);
  update_shown();
}

QWidget* SessionsPage::make_middle() {
  table_ = new LibraryTable(tr("Sessions"));
  table_->setModel(&filter_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(SessionModel::IdColumn, Qt::DescendingOrder);
  table_->setItemDelegateForColumn(SessionModel::ProgressColumn,
                                   new ProgressDelegate(SessionModel::ProgressRole, table_));
  empty_ = new EmptyState;
  stack_ = new QStackedWidget;
  stack_->addWidget(table_);
  stack_->addWidget(empty_);
  panel_ = new SessionPanel(workspace_);
  panel_->setMinimumWidth(30 * grid_pixels);
  auto* middle = new QSplitter(Qt::Horizontal);
  middle->addWidget(stack_);
  middle->addWidget(panel_);
  middle->setStretchFactor(0, 1);
  middle->setChildrenCollapsible(false);
  connect(table_, &LibraryTable::rows_selected, this, &SessionsPage::update_selection);
  connect(table_, &LibraryTable::row_opened, this, [this](int row) {
    emit session_opened(filter_.index(row, 0).data(SessionModel::SessionIdRole).toLongLong());
  });
  connect(empty_, &EmptyState::action_triggered, this, [this] {
    if (!filter_.searching()) return emit new_run_requested();
    head_->clear_search();
    head_->focus_search();
  });
  return middle;
}

void SessionsPage::make_bars() {
  undo_bar_ = new ActionBar(tr("Deleted sessions"));
  measuring_bar_ = new ActionBar(tr("Measuring the best again"));
  connect(undo_bar_, &ActionBar::action_triggered, this, &SessionsPage::undo_delete);
  connect(measuring_bar_, &ActionBar::action_triggered, this, [this] {
    measuring_.stop();
    measuring_bar_->tell(tr("Stopping\u2026"), QString());
  });
  connect(&measuring_, &MeasuringAgain::finished, this, &SessionsPage::tell_measured);
}

void SessionsPage::set_actions(const QList<QAction*>& tool_bar, const QList<QAction*>& context_menu) {
  head_->add_actions(tool_bar);
  table_->set_actions(context_menu);
}

std::vector<SessionEntry> SessionsPage::selected() const {
  std::vector<SessionEntry> sessions;
  for (const int row : table_->selected_rows())
    sessions.push_back(*model_.session(filter_.mapToSource(filter_.index(row, 0))));
  return sessions;
}

void SessionsPage::update_selection() {
  panel_->show_sessions(selected());
  emit selection_changed();
}

void SessionsPage::update_shown() {
  const int all = model_.rowCount();
  const int shown = filter_.rowCount();
  head_->set_count(filter_.searching() ? tr("%1 of %2").arg(format_count(shown), format_count(all))
                                       : sessions_text(all));
  if (all == 0) {
    empty_->set_text(tr("No session yet"),
                     tr("A session is one run of a tuner on a task. Everything it measures is kept here."),
                     tr("New run"));
  } else {
    empty_->set_text(
        tr("No session matches"),
        tr("No name, task, tuner, tag or note has all the words of \u201c%1\u201d.").arg(head_->search()),
        tr("Clear the search"));
  }
  stack_->setCurrentIndex(shown == 0 ? 1 : 0);
}

void SessionsPage::focus_search() { head_->focus_search(); }

void SessionsPage::rename_selected() { panel_->edit_name(); }

void SessionsPage::delete_selected() {
  std::vector<SessionId> deleted;
  for (const SessionEntry& session : selected()) {
    const SessionId id = id_of(session);
    if (workspace_.write([id](Store& store) { return store.trash_session(id); })) deleted.push_back(id);
  }
  if (deleted.empty()) return;
  if (workspace_.opened() && std::ranges::find(deleted, *workspace_.opened()) != deleted.end())
    workspace_.close_source();
  undo_bar_->tell(deleted.size() == 1 ? tr("Deleted session %1").arg(deleted.front())
                                      : tr("Deleted %1").arg(sessions_text(std::ssize(deleted))),
                  tr("Undo"));
  deleted_.push_back(std::move(deleted));
  emit undo_changed();
}

void SessionsPage::undo_delete() {
  if (deleted_.empty()) return;
  std::vector<SessionId> left;
  for (const SessionId id : deleted_.back()) {
    if (!workspace_.write([id](Store& store) { return store.restore_trashed(id); })) left.push_back(id);
  }
  const std::size_t restored = deleted_.back().size() - left.size();
  deleted_.pop_back();
  if (!left.empty()) deleted_.push_back(std::move(left));
  undo_bar_->tell(tr("Brought %1 back").arg(sessions_text(static_cast<std::ptrdiff_t>(restored))),
                  deleted_.empty() ? QString() : tr("Undo"));
  emit undo_changed();
}

void SessionsPage::show_side_by_side() {
  const std::vector<SessionEntry> sessions = selected();
  if (sessions.size() != 2) return;
  // The older one first, whatever the table is sorted by.
  comparison_->show();
  comparison_->compare(std::min(id_of(sessions[0]), id_of(sessions[1])),
                       std::max(id_of(sessions[0]), id_of(sessions[1])));
}

void SessionsPage::measure_selected_again() {
  const std::vector<SessionEntry> sessions = selected();
  if (sessions.size() != 1 || measuring_.busy()) return;
  const SessionId id = id_of(sessions.front());
  std::optional<std::int64_t> extra;
  const Source& source = workspace_.source();
  if (source && source->id() == id && workspace_.current_row() != no_row) {
    const TrialRow row = source->trials.row(workspace_.current_row());
    if (row.category == ErrorCategory::NoError) extra = row.number;
  }
  measuring_.start(id, extra);
  measuring_bar_->tell(
      extra ? tr("Measuring the best of session %1 and trial %2 again, beside the vendor's library\u2026")
                  .arg(id)
                  .arg(*extra)
            : tr("Measuring the best of session %1 again, beside the vendor's library\u2026").arg(id),
      tr("Stop"));
  emit selection_changed();
}

void SessionsPage::tell_measured(SessionId id, bool measured) {
  measuring_bar_->tell(measured ? tr("Session %1: the best was measured again").arg(id)
                                : tr("Session %1: the best was not measured again").arg(id),
                       QString());
  emit selection_changed();
}

}  // namespace kernelscape
