#include "ui/widgets/library_table.h"

#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QScrollBar>
#include <QTimer>
#include <algorithm>

#include "ui/style/theme.h"
#include "ui/widgets/row_height.h"

namespace kernelscape::widgets {
namespace {

constexpr int usual_widest_column = 30 * style::grid_pixels;
constexpr int rows_looked_at = 50;
constexpr int refit_milliseconds = 500;

}  // namespace

LibraryTable::LibraryTable(const QString& name, QWidget* parent)
    : QTableView(parent), widest_column_(usual_widest_column) {
  setAccessibleName(name);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setShowGrid(false);
  setWordWrap(false);
  setTabKeyNavigation(false);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  verticalHeader()->hide();
  keep_row_height(*this, style::grid_pixels);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setStretchLastSection(true);
  horizontalHeader()->setResizeContentsPrecision(rows_looked_at);
  connect(horizontalHeader(), &QHeaderView::sectionResized, this, [this] {
    // A mouse button is only pressed during a resize if the user drags the header.
    if (QGuiApplication::mouseButtons() != Qt::NoButton) widths_are_the_users_ = true;
  });
  connect(this, &QTableView::doubleClicked, this,
          [this](const QModelIndex& index) { emit row_opened(index.row()); });
}

void LibraryTable::setModel(QAbstractItemModel* model) {
  QTableView::setModel(model);
  connect(model, &QAbstractItemModel::rowsAboutToBeInserted, this, &LibraryTable::remember_place);
  connect(model, &QAbstractItemModel::rowsInserted, this, &LibraryTable::keep_place);
  connect(model, &QAbstractItemModel::rowsAboutToBeRemoved, this, &LibraryTable::remember_place);
  connect(model, &QAbstractItemModel::rowsRemoved, this, &LibraryTable::keep_place);
  connect(model, &QAbstractItemModel::modelReset, this, &LibraryTable::fit_columns_soon);
  connect(model, &QAbstractItemModel::dataChanged, this, &LibraryTable::fit_columns_soon);
  fit_columns_soon();
}

void LibraryTable::stretch_first_column() {
  horizontalHeader()->setStretchLastSection(false);
  horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
}

void LibraryTable::set_actions(QList<QAction*> actions) { actions_ = std::move(actions); }

void LibraryTable::remember_place() {
  top_ = verticalScrollBar()->value() > 0 ? indexAt({0, 0}) : QModelIndex();
}

void LibraryTable::keep_place() {
  if (top_.isValid()) scrollTo(top_, QAbstractItemView::PositionAtTop);
  fit_columns_soon();
}

/** Schedules one update for all changes until control returns to the event loop. */
void LibraryTable::fit_columns_soon() {
  if (fitting_ || widths_are_the_users_ || model()->rowCount() == 0) return;
  fitting_ = true;
  QTimer::singleShot(fitted_ ? refit_milliseconds : 0, this, &LibraryTable::fit_columns);
}

/** Widens columns to their contents, never narrows them, so that visible text does not move. */
void LibraryTable::fit_columns() {
  fitting_ = false;
  if (widths_are_the_users_) return;
  const QHeaderView& header = *horizontalHeader();
  for (int column = 0; column < model()->columnCount(); ++column) {
    if (header.sectionResizeMode(column) != QHeaderView::Interactive) continue;
    const int contents = std::max(sizeHintForColumn(column), header.sectionSizeHint(column));
    const int wanted = std::min(contents + style::grid_pixels, qRound(widest_column_ * style::text_scale()));
    if (!fitted_ || wanted > columnWidth(column)) setColumnWidth(column, wanted);
  }
  fitted_ = true;
}

std::vector<int> LibraryTable::selected_rows() const {
  std::vector<int> rows;
  if (selectionModel() == nullptr) return rows;
  for (const QModelIndex& index : selectionModel()->selectedRows()) rows.push_back(index.row());
  std::ranges::sort(rows);
  return rows;
}

void LibraryTable::selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) {
  QTableView::selectionChanged(selected, deselected);
  emit rows_selected();
}

void LibraryTable::keyPressEvent(QKeyEvent* event) {
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (enter && event->modifiers() == Qt::NoModifier && currentIndex().isValid()) {
    emit row_opened(currentIndex().row());
    return;
  }
  QTableView::keyPressEvent(event);
}

void LibraryTable::contextMenuEvent(QContextMenuEvent* event) {
  if (actions_.isEmpty() || selected_rows().empty()) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addActions(actions_);
  menu->popup(event->globalPos());
}

}  // namespace kernelscape::widgets
