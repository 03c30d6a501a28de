#include <QHeaderView>
#include <QMenu>
#include <QScopedValueRollback>
#include <algorithm>
#include <utility>

#include "ui/models/trial_values.h"
#include "ui/views/trials/trial_cell_delegate.h"
#include "ui/views/trials/trial_table_view.h"
#include "ui/widgets/flat_header.h"
#include "ui/workspace/source.h"

namespace kernelscape::views {
namespace {

constexpr int min_row_height = 24;
constexpr int min_column_width = 56;
constexpr int max_column_width = 280;
constexpr int sort_mark_width = 16;
constexpr int spare_width = 4;
constexpr std::uint32_t max_values_tried = 500;

/** Returns the usual columns: no speed if no kernel was run, and no resources if no GPU was used. */
QStringList usual_columns(const workspace::SourceData& source) {
  const analysis::TrialColumns& columns = source.columns();
  QStringList names;
  for (const std::size_t position : columns.usual_columns(!source.build_only()))
    names.append(QString::fromStdString(columns.columns()[position].name));
  return names;
}

}  // namespace

void TrialTableView::set_up_header() {
  auto* header = new widgets::FlatHeader(this);
  setHorizontalHeader(header);
  // QTableView would make the first visible row the current trial on every press on a column header.
  disconnect(header, &QHeaderView::sectionPressed, this, nullptr);
  disconnect(header, &QHeaderView::sectionEntered, this, nullptr);
  header->setSectionsClickable(true);
  header->setSectionsMovable(true);
  header->setFirstSectionMovable(true);
  header->setSortIndicatorShown(true);
  header->setSortIndicatorClearable(true);
  header->setMinimumSectionSize(min_column_width);
  header->setContextMenuPolicy(Qt::CustomContextMenu);
  header->setAccessibleName(tr("Columns of the trials"));
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  connect(header, &QHeaderView::sortIndicatorChanged, this, [this](int column, Qt::SortOrder order) {
    if (!syncing_) model_.sort(column, order);
  });
  connect(header, &QHeaderView::sectionMoved, this, [this] {
    if (syncing_) return;
    wanted_columns_ = visible_columns();
    emit visible_columns_changed();
  });
  connect(header, &QWidget::customContextMenuRequested, this, [this, header](QPoint place) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fill_column_menu(*menu);
    menu->popup(header->mapToGlobal(place));
  });
}

void TrialTableView::apply_row_height() {
  const int height = std::max(min_row_height, fontMetrics().height() + 8);
  verticalHeader()->setMinimumSectionSize(height);
  verticalHeader()->setDefaultSectionSize(height);
}

void TrialTableView::show_order() {
  const QScopedValueRollback<bool> guard(syncing_, true);
  const auto& by = model_.order();
  horizontalHeader()->setSortIndicator(by ? static_cast<int>(by->column) : -1,
                                       !by || by->ascending ? Qt::AscendingOrder : Qt::DescendingOrder);
}

QStringList TrialTableView::visible_columns() const {
  QStringList names;
  const QHeaderView* header = horizontalHeader();
  for (int place = 0; place < header->count(); ++place) {
    const int column = header->logicalIndex(place);
    if (header->isSectionHidden(column)) continue;
    names.append(
        QString::fromStdString(model_.source()->columns().columns()[static_cast<std::size_t>(column)].name));
  }
  return names;
}

void TrialTableView::set_visible_columns(const QStringList& names) {
  wanted_columns_ = names;
  apply_columns();
}

void TrialTableView::apply_columns() {
  if (!model_.source()) return;
  const QScopedValueRollback<bool> guard(syncing_, true);
  const analysis::TrialColumns& columns = model_.source()->columns();
  const auto position_of = [&](const QString& name) {
    const auto column = columns.find(name.toStdString());
    return column ? static_cast<int>(*column) : -1;
  };
  QStringList names = wanted_columns_;
  // Spaces share only the names of measured columns, and a table without columns would be useless.
  if (std::ranges::none_of(names, [&](const QString& name) { return position_of(name) >= 0; }))
    names = usual_columns(*model_.source());
  QHeaderView* header = horizontalHeader();
  for (int column = 0; column < header->count(); ++column) {
    header->resizeSection(column, width_of(static_cast<std::size_t>(column)));
    header->setSectionHidden(column, true);
  }
  int place = 0;
  for (const QString& name : names) {
    const int column = position_of(name);
    if (column < 0) continue;
    header->setSectionHidden(column, false);
    header->moveSection(header->visualIndex(column), place++);
  }
}

/**
 * Returns a column's width from the values that it can have, not from its rows, of which there may be a
 * million.
 */
int TrialTableView::width_of(std::size_t position) const {
  const analysis::Column& column = model_.source()->columns().columns()[position];
  const QFontMetrics metrics = fontMetrics();
  int widest = metrics.horizontalAdvance(QStringLiteral("12,345"));
  const auto widen = [&](const QString& text) { widest = std::max(widest, metrics.horizontalAdvance(text)); };
  if (column.kind == analysis::ColumnKind::Label) {
    for (const std::string& label : column.labels.first(max_values_tried))
      widen(QString::fromStdString(label));
  } else if (column.knob) {
    const std::uint32_t count = model_.source()->space().knobs()[*column.knob].count();
    for (std::uint32_t index = 0; index < std::min(count, max_values_tried); ++index)
      widen(models::shown_value(column, model_.source()->columns().value_of_index(position, index)));
  }
  if (column.measured == trial::Measured::Error) widest += TrialCellDelegate::category_width(metrics);
  const int title = metrics.horizontalAdvance(models::column_title(column)) + sort_mark_width;
  return std::clamp(std::max(widest, title) + 2 * TrialCellDelegate::padding + spare_width, min_column_width,
                    max_column_width);
}

void TrialTableView::set_column_shown(const QString& name, bool shown) {
  QStringList names = visible_columns();
  names.removeAll(name);
  if (shown) names.append(name);
  // The last visible column can't be hidden.
  if (names.isEmpty()) return;
  set_visible_columns(names);
  emit visible_columns_changed();
}

void TrialTableView::fill_column_menu(QMenu& menu) {
  if (!model_.source()) {
    menu.addAction(tr("No session is open"))->setEnabled(false);
    return;
  }
  const QStringList shown = visible_columns();
  QMenu* elements = nullptr;
  const auto add = [&](QMenu& to, const analysis::Column& column) {
    const QString name = QString::fromStdString(column.name);
    QAction* action = to.addAction(models::column_title(column));
    action->setCheckable(true);
    action->setChecked(shown.contains(name));
    action->setToolTip(models::column_help(column));
    connect(action, &QAction::toggled, this, [this, name](bool on) { set_column_shown(name, on); });
  };
  const auto& columns = model_.source()->columns().columns();
  bool knobs = false;
  for (const analysis::Column& column : columns) {
    if (column.knob && !std::exchange(knobs, true)) menu.addSeparator();
    if (column.element < 0) add(menu, column);
  }
  for (const analysis::Column& column : columns) {
    if (column.element < 0) continue;
    if (!elements) elements = menu.addMenu(tr("Factors and positions"));
    add(*elements, column);
  }
  menu.addSeparator();
  connect(menu.addAction(tr("Usual columns")), &QAction::triggered, this, [this] {
    set_visible_columns({});
    emit visible_columns_changed();
  });
}

int TrialTableView::first_visible_column() const {
  const QHeaderView* header = horizontalHeader();
  for (int place = 0; place < header->count(); ++place)
    if (!header->isSectionHidden(header->logicalIndex(place))) return header->logicalIndex(place);
  return 0;
}

}  // namespace kernelscape::views
