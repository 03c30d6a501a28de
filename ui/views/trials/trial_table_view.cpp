#include "ui/views/trials/trial_table_view.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <algorithm>

#include "ui/style/theme.h"
#include "ui/views/trials/trial_cell_delegate.h"
#include "ui/views/trials/trial_clipboard.h"
#include "ui/views/trials/trial_table_columns.h"
#include "ui/views/trials/trial_table_menu.h"
#include "ui/workspace/source.h"

namespace kernelscape::views {
namespace {

constexpr int min_row_height = 24;

}  // namespace

TrialTableView::TrialTableView(workspace::Workspace& workspace, QWidget* parent)
    : QTableView(parent),
      workspace_(workspace),
      model_(workspace),
      selection_(workspace, model_),
      clipboard_(new TrialClipboard(workspace, model_, selection_, this)) {
  setModel(&model_);
  setItemDelegate(new TrialCellDelegate(workspace, model_, this));
  // The selection may have a million scattered rows, so it is stored in the workspace, not in a
  // QItemSelectionModel.
  setSelectionMode(QAbstractItemView::NoSelection);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setVerticalScrollMode(QAbstractItemView::ScrollPerItem);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  setAutoScroll(false);
  setShowGrid(false);
  setWordWrap(false);
  setTabKeyNavigation(false);
  setFrameShape(QFrame::NoFrame);
  setAccessibleName(tr("Trials"));
  columns_ = new TrialTableColumns(*this, model_);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  apply_row_height();

  connect(&model_, &models::TrialTableModel::modelReset, columns_, &TrialTableColumns::apply);
  connect(&model_, &models::TrialTableModel::rows_about_to_change, this, &TrialTableView::remember_anchor);
  connect(&model_, &models::TrialTableModel::rows_changed, this, &TrialTableView::restore_anchor);
  connect(&model_, &models::TrialTableModel::order_changed, columns_, &TrialTableColumns::show_order);
  connect(columns_, &TrialTableColumns::visible_changed, this, &TrialTableView::visible_columns_changed);
  connect(clipboard_, &TrialClipboard::notified, this, &TrialTableView::notified);
  connect(&workspace_, &workspace::Workspace::current_row_changed, this, [this] { show_current(true); });
  connect(&workspace_, &workspace::Workspace::selection_changed, viewport(), qOverload<>(&QWidget::update));
  connect(verticalScrollBar(), &QAbstractSlider::actionTriggered, this, [this] {
    const QScrollBar& bar = *verticalScrollBar();
    if (bar.sliderPosition() != (model_.order() ? bar.minimum() : bar.maximum())) set_following(false);
  });
  columns_->apply();
  show_current(false);
}

void TrialTableView::remember_anchor() {
  const int top = verticalScrollBar()->value();
  const int bottom = top + viewport()->height() / std::max(1, verticalHeader()->defaultSectionSize());
  int position = currentIndex().isValid() ? currentIndex().row() : -1;
  if (position < top || position >= bottom) position = top;
  anchor_ = {model_.row_at(position), position - top};
  // Qt moves the current index away from removed rows; the current trial must not change.
  changing_ = true;
}

void TrialTableView::restore_anchor() {
  changing_ = false;
  // The scroll bar must know the new number of rows before it is moved.
  executeDelayedItemsLayout();
  updateGeometries();
  if (following_) {
    scroll_to_followed();
  } else if (const int position = model_.position_of(anchor_.row); position >= 0) {
    verticalScrollBar()->setValue(position - anchor_.offset);
  }
  show_current(false);
  viewport()->update();
}

void TrialTableView::scroll_to_followed() {
  QScrollBar& bar = *verticalScrollBar();
  bar.setValue(model_.order() ? bar.minimum() : bar.maximum());
}

void TrialTableView::set_following(bool following) {
  if (following == following_) return;
  following_ = following;
  if (following_) scroll_to_followed();
  emit following_changed(following_);
}

void TrialTableView::show_current(bool scroll) {
  const QScopedValueRollback<bool> guard(syncing_, true);
  const int position = model_.position_of(workspace_.current_row());
  const int column = currentIndex().isValid() ? currentIndex().column() : columns_->first_visible();
  const QModelIndex index = position < 0 ? QModelIndex() : model_.index(position, column);
  if (index != currentIndex()) selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
  if (range_start_ == analysis::no_row || position < 0) range_start_ = workspace_.current_row();
  if (scroll && index.isValid()) scrollTo(index);
  viewport()->update();
}

void TrialTableView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTableView::currentChanged(current, previous);
  if (syncing_ || changing_ || !current.isValid()) return;
  set_following(false);
  workspace_.set_current_row(model_.row_at(current.row()));
  scrollTo(current);
}

void TrialTableView::go_to(int position) {
  if (model_.rowCount() == 0) return;
  set_following(false);
  const int place = std::clamp(position, 0, model_.rowCount() - 1);
  range_start_ = model_.row_at(place);
  workspace_.set_current_row(range_start_);
}

void TrialTableView::step(int positions) {
  const int current = model_.position_of(workspace_.current_row());
  go_to(current < 0 ? verticalScrollBar()->value() : current + positions);
}

void TrialTableView::first_trial() { go_to(0); }

void TrialTableView::last_trial() { go_to(model_.rowCount() - 1); }

void TrialTableView::best_trial() {
  const std::int64_t best = model_.source() ? model_.source()->headline.row : analysis::no_row;
  if (best == analysis::no_row) {
    emit notified(model_.source() && model_.source()->build_only() ? tr("Build only: there is no best trial.")
                                                                   : tr("No trial is valid yet."));
    return;
  }
  set_following(false);
  workspace_.set_current_row(best);
  if (model_.position_of(best) < 0)
    emit notified(passes_filters(best) ? tr("The best trial is not among the selected trials.")
                                       : tr("The best trial does not pass the filters."));
  show_current(true);
}

bool TrialTableView::own_key(const QKeyEvent& event) {
  if (event.matches(QKeySequence::Copy)) return copy_rows(), true;
  if (event.matches(QKeySequence::SelectAll)) return select_shown(), true;
  if ((event.modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier) return false;
  switch (event.key()) {
    case Qt::Key_J:
      return next_trial(), true;
    case Qt::Key_K:
      return previous_trial(), true;
    case Qt::Key_B:
      return best_trial(), true;
    case Qt::Key_F:
      return set_following(!following_), true;
    case Qt::Key_Home:
      return first_trial(), true;
    case Qt::Key_End:
      return last_trial(), true;
    case Qt::Key_Space:
      return selection_.toggle(model_.row_at(currentIndex().row())), true;
    default:
      return false;
  }
}

void TrialTableView::keyPressEvent(QKeyEvent* event) {
  if (own_key(*event)) {
    event->accept();
    return;
  }
  const QModelIndex before = currentIndex();
  QTableView::keyPressEvent(event);
  if (currentIndex() == before || !currentIndex().isValid()) return;
  if ((event->modifiers() & Qt::ShiftModifier) != 0) {
    selection_.select_range(range_start_, model_.row_at(currentIndex().row()));
  } else {
    range_start_ = model_.row_at(currentIndex().row());
  }
}

void TrialTableView::mousePressEvent(QMouseEvent* event) {
  const QModelIndex index = indexAt(event->position().toPoint());
  const std::int64_t row = index.isValid() ? model_.row_at(index.row()) : analysis::no_row;
  const bool left = event->button() == Qt::LeftButton && row != analysis::no_row;
  // The base class finds the clicked row by its place, which a change of the selection must not move before.
  QTableView::mousePressEvent(event);
  if (left && (event->modifiers() & Qt::ShiftModifier) != 0) {
    selection_.select_range(range_start_, row);
  } else if (left) {
    range_start_ = row;
    if ((event->modifiers() & Qt::ControlModifier) != 0) selection_.toggle(row);
  }
}

void TrialTableView::select_shown() { selection_.select_shown(); }

void TrialTableView::clear_selection() { selection_.clear(); }

QStringList TrialTableView::visible_columns() const { return columns_->visible(); }

void TrialTableView::set_visible_columns(const QStringList& names) { columns_->set_visible(names); }

void TrialTableView::fill_column_menu(QMenu& menu) { columns_->fill_menu(menu); }

void TrialTableView::copy_rows() { clipboard_->copy_rows(visible_columns()); }

void TrialTableView::compare_chosen() {
  const workspace::Source& source = model_.source();
  if (!source) {
    emit notified(tr("No session is open: there are no trials to compare."));
    return;
  }
  const analysis::RowSet selection = selection_.rows();
  if (selection.count() == 2) {
    const std::vector<std::int64_t> rows = selection.rows();
    emit pair_requested(rows[0], rows[1]);
    return;
  }
  const std::int64_t row = workspace_.current_row();
  const std::int64_t best = source->headline.row;
  if (row != analysis::no_row && best != analysis::no_row && row != best) {
    emit pair_requested(row, best);
  } else {
    emit notified(tr("Select two trials to compare them, or choose one that is not the best."));
  }
}

void TrialTableView::contextMenuEvent(QContextMenuEvent* event) {
  const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  const QModelIndex index = by_key ? currentIndex() : indexAt(event->pos());
  if (!index.isValid()) return;
  auto* menu =
      new TrialTableMenu(*this, {.workspace = workspace_, .selection = selection_, .clipboard = *clipboard_},
                         index, measurable_);
  const QPoint place = visualRect(index).bottomLeft() + QPoint(8, 0);
  menu->popup(by_key ? viewport()->mapToGlobal(place) : event->globalPos());
}

void TrialTableView::apply_row_height() {
  const int height = std::max(min_row_height, fontMetrics().height() + 8);
  verticalHeader()->setMinimumSectionSize(height);
  verticalHeader()->setDefaultSectionSize(height);
}

bool TrialTableView::passes_filters(std::int64_t row) const {
  const std::optional<analysis::RowSet>& filtered = workspace_.filtered();
  return !filtered || (row < filtered->size() && filtered->test(row));
}

QString TrialTableView::state_text() const {
  if (!workspace_.source())
    return workspace_.opened()
               ? tr("Reading the session …")
               : tr("No session is open.\nChoose one in the list of sessions, or start a run.");
  if (model_.rowCount() > 0 || model_.busy()) return {};
  if (model_.only_selected() && workspace_.filtered() && !workspace_.filtered()->none())
    return tr("No selected trial passes the filters.\nClear \"Only selected trials\", or remove a filter.");
  if (!workspace_.active_filters().isEmpty() && workspace_.source()->trials.size() > 0)
    return tr("No trial passes the filters.\nRemove one of them above.");
  return workspace_.source()->running() ? tr("The first trials are being built and measured.")
                                        : tr("This session has no trials.");
}

void TrialTableView::paintEvent(QPaintEvent* event) {
  QTableView::paintEvent(event);
  const QString text = state_text();
  if (text.isEmpty()) return;
  QPainter painter(viewport());
  painter.setPen(style::colours().muted_text);
  painter.drawText(viewport()->rect().adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap, text);
}

void TrialTableView::changeEvent(QEvent* event) {
  QTableView::changeEvent(event);
  if (event->type() == QEvent::FontChange) {
    apply_row_height();
    columns_->apply();
  }
}

}  // namespace kernelscape::views
