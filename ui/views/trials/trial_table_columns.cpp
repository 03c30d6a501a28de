#include "ui/views/trials/trial_table_columns.h"

#include <QHeaderView>
#include <QMenu>
#include <QScopedValueRollback>
#include <QTableView>
#include <algorithm>
#include <utility>

#include "ui/models/trial_values.h"
#include "ui/views/trials/trial_cell_delegate.h"
#include "ui/widgets/flat_header.h"
#include "ui/workspace/source.h"

namespace kernelscape::views {
namespace {

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

TrialTableColumns::TrialTableColumns(QTableView& table, models::TrialTableModel& model)
    : QObject(&table), table_(table), model_(model) {
  make_header();
}

void TrialTableColumns::make_header() {
  auto* header = new widgets::FlatHeader(&table_);
  table_.setHorizontalHeader(header);
  // QTableView would make the first visible row the current trial on every press on a column header.
  disconnect(header, &QHeaderView::sectionPressed, &table_, nullptr);
  disconnect(header, &QHeaderView::sectionEntered, &table_, nullptr);
  header->setSectionsClickable(true);
  header->setSectionsMovable(true);
  header->setFirstSectionMovable(true);
  header->setSortIndicatorShown(true);
  header->setSortIndicatorClearable(true);
  header->setMinimumSectionSize(min_column_width);
  header->setContextMenuPolicy(Qt::CustomContextMenu);
  header->setAccessibleName(tr("Columns of the trials"));
  connect(header, &QHeaderView::sortIndicatorChanged, this, [this](int column, Qt::SortOrder order) {
    if (!applying_) model_.sort(column, order);
  });
  connect(header, &QHeaderView::sectionMoved, this, [this] {
    if (applying_) return;
    wanted_ = visible();
    emit visible_changed();
  });
  connect(header, &QWidget::customContextMenuRequested, this, &TrialTableColumns::open_menu);
}

void TrialTableColumns::open_menu(QPoint place) {
  auto* menu = new QMenu(&table_);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  fill_menu(*menu);
  menu->popup(table_.horizontalHeader()->mapToGlobal(place));
}

void TrialTableColumns::show_order() {
  const QScopedValueRollback<bool> guard(applying_, true);
  const auto& by = model_.order();
  table_.horizontalHeader()->setSortIndicator(
      by ? static_cast<int>(by->column) : -1,
      !by || by->ascending ? Qt::AscendingOrder : Qt::DescendingOrder);
}

QStringList TrialTableColumns::visible() const {
  QStringList names;
  const QHeaderView* header = table_.horizontalHeader();
  for (int place = 0; place < header->count(); ++place) {
    const int column = header->logicalIndex(place);
    if (header->isSectionHidden(column)) continue;
    names.append(
        QString::fromStdString(model_.source()->columns().columns()[static_cast<std::size_t>(column)].name));
  }
  return names;
}

void TrialTableColumns::set_visible(const QStringList& names) {
  wanted_ = names;
  apply();
}

void TrialTableColumns::apply() {
  if (!model_.source()) return;
  const QScopedValueRollback<bool> guard(applying_, true);
  const analysis::TrialColumns& columns = model_.source()->columns();
  const auto position_of = [&](const QString& name) {
    const auto column = columns.find(name.toStdString());
    return column ? static_cast<int>(*column) : -1;
  };
  QStringList names = wanted_;
  // Spaces share only the names of measured columns, and a table without columns would be useless.
  if (std::ranges::none_of(names, [&](const QString& name) { return position_of(name) >= 0; }))
    names = usual_columns(*model_.source());
  QHeaderView* header = table_.horizontalHeader();
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
int TrialTableColumns::width_of(std::size_t position) const {
  const analysis::Column& column = model_.source()->columns().columns()[position];
  const QFontMetrics metrics = table_.fontMetrics();
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

void TrialTableColumns::set_shown(const QString& name, bool shown) {
  QStringList names = visible();
  names.removeAll(name);
  if (shown) names.append(name);
  // The last visible column can't be hidden.
  if (names.isEmpty()) return;
  set_visible(names);
  emit visible_changed();
}

void TrialTableColumns::add_to_menu(QMenu& menu, const analysis::Column& column, bool shown) {
  const QString name = QString::fromStdString(column.name);
  QAction* action = menu.addAction(models::column_title(column));
  action->setCheckable(true);
  action->setChecked(shown);
  action->setToolTip(models::column_help(column));
  connect(action, &QAction::toggled, this, [this, name](bool on) { set_shown(name, on); });
}

void TrialTableColumns::fill_menu(QMenu& menu) {
  if (!model_.source()) {
    menu.addAction(tr("No session is open"))->setEnabled(false);
    return;
  }
  const QStringList shown = visible();
  const auto is_shown = [&](const analysis::Column& column) {
    return shown.contains(QString::fromStdString(column.name));
  };
  const auto& columns = model_.source()->columns().columns();
  bool knobs = false;
  for (const analysis::Column& column : columns) {
    if (column.knob && !std::exchange(knobs, true)) menu.addSeparator();
    if (column.element < 0) add_to_menu(menu, column, is_shown(column));
  }
  QMenu* elements = nullptr;
  for (const analysis::Column& column : columns) {
    if (column.element < 0) continue;
    if (elements == nullptr) elements = menu.addMenu(tr("Factors and positions"));
    add_to_menu(*elements, column, is_shown(column));
  }
  menu.addSeparator();
  connect(menu.addAction(tr("Usual columns")), &QAction::triggered, this, [this] {
    set_visible({});
    emit visible_changed();
  });
}

int TrialTableColumns::first_visible() const {
  const QHeaderView* header = table_.horizontalHeader();
  for (int place = 0; place < header->count(); ++place)
    if (!header->isSectionHidden(header->logicalIndex(place))) return header->logicalIndex(place);
  return 0;
}

}  // namespace kernelscape::views
