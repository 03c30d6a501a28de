#include "ui/models/trial_table_model.h"

#include <QScopedValueRollback>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/models/session_text.h"
#include "ui/models/trial_values.h"
#include "ui/style/theme.h"
#include "ui/workspace/source.h"

namespace kernelscape::models {
namespace {

/** This number of rows is arranged in one or two milliseconds: done at once, even while a kernel is timed. */
constexpr std::int64_t max_rows_at_once = 20'000;
constexpr std::int64_t max_merged_at_once = 5'000;

bool same_column(const workspace::Source& first, const workspace::Source& second, std::size_t column) {
  const auto& before = first->columns().columns();
  const auto& after = second->columns().columns();
  return column < before.size() && column < after.size() && before[column].name == after[column].name;
}

bool same_columns(const workspace::Source& first, const workspace::Source& second) {
  return first->columns().columns().size() == second->columns().columns().size();
}

/** Returns true if a later reading can change the column's values of earlier rows. */
bool changes_later(const analysis::Column& column) {
  return column.measured == trial::Measured::Speed || column.measured == trial::Measured::SlowPhase;
}

}  // namespace

TrialTableModel::TrialTableModel(workspace::Workspace& workspace, QObject* parent)
    : QAbstractTableModel(parent), workspace_(workspace) {
  connect(&workspace_, &workspace::Workspace::source_changed, this, [this] {
    selected_ = workspace_.selection();
    reset();
  });
  connect(&workspace_, &workspace::Workspace::source_updated, this, &TrialTableModel::catch_up);
  connect(&workspace_, &workspace::Workspace::filters_changed, this, &TrialTableModel::arrange_again);
  connect(&workspace_, &workspace::Workspace::selection_changed, this, [this] {
    if (only_selected_ && !keeps_rows_) follow_selection();
  });
  connect(&job_, &workspace::JobTracker::busy_changed, this, &TrialTableModel::busy_changed);
  reset();
}

void TrialTableModel::reset() {
  job_.cancel();
  const workspace::Source source = workspace_.source();
  emit rows_about_to_change();
  beginResetModel();
  if (by_ && source_ && source && !same_column(source_, source, by_->column)) by_.reset();
  source_ = source;
  rows_.clear();
  endResetModel();
  emit rows_changed();
  emit order_changed();
  arrange_again();
}

void TrialTableModel::set_order(std::optional<analysis::RowOrder> by) {
  if (by == by_) return;
  by_ = by;
  emit order_changed();
  arrange_again();
}

void TrialTableModel::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= columnCount()) {
    set_order(std::nullopt);
  } else {
    set_order(analysis::RowOrder{static_cast<std::size_t>(column), order == Qt::AscendingOrder});
  }
}

void TrialTableModel::set_only_selected(bool only) {
  if (only == only_selected_) return;
  only_selected_ = only;
  follow_selection();
}

void TrialTableModel::select_in_place(analysis::RowSet selection) {
  const QScopedValueRollback<bool> guard(keeps_rows_, true);
  workspace_.set_selection(std::move(selection));
}

void TrialTableModel::follow_selection() {
  selected_ = workspace_.selection();
  arrange_again();
}

/** Returns the rows that the table shows; nullopt: all rows of the source. */
std::optional<analysis::RowSet> TrialTableModel::rows_to_show() const {
  const std::optional<analysis::RowSet>& filtered = workspace_.filtered();
  if (!only_selected_ || selected_.none()) return filtered;
  // Selection and filter may be of fewer trials than have arrived.
  analysis::RowSet rows = selected_;
  const std::int64_t size =
      std::max({rows.size(), workspace_.source()->trials.size(), filtered ? filtered->size() : 0});
  rows.grow(size);
  if (!filtered) return rows;
  analysis::RowSet passing = *filtered;
  passing.grow(size);
  rows &= passing;
  return rows;
}

std::optional<TrialTableModel::Rows> TrialTableModel::arrange(const Request& request,
                                                              const std::function<bool()>& proceed) {
  const workspace::SourceData& source = *request.source;
  const analysis::RowSet* filtered = request.filtered ? &*request.filtered : nullptr;
  if (request.by)
    return analysis::sorted_rows(source.trials, source.columns(), *request.by, filtered, proceed);
  Rows rows;
  if (filtered) {
    rows.reserve(static_cast<std::size_t>(filtered->count()));
    filtered->for_each([&](std::int64_t row) { rows.push_back(static_cast<std::uint32_t>(row)); });
  } else {
    rows.resize(static_cast<std::size_t>(source.trials.size()));
    std::iota(rows.begin(), rows.end(), 0U);
  }
  return rows;
}

void TrialTableModel::arrange_again() {
  if (!workspace_.source() || !source_) return;
  if (!same_columns(workspace_.source(), source_)) return reset();
  const Request request{workspace_.source(), by_, rows_to_show()};
  if (request.source->trials.size() <= max_rows_at_once) {
    job_.cancel();
    take(request.source, *arrange(request, {}));
    return;
  }
  job_.start(
      [request](const workspace::JobControl& control) {
        return arrange(request, [&control] { return control.proceed(); });
      },
      [this, source = request.source](std::optional<Rows> rows) {
        if (rows) take(source, std::move(*rows));
      });
}

void TrialTableModel::take(const workspace::Source& source, Rows rows) {
  const std::int64_t best = source_->headline.row;
  source_ = source;
  replace_rows(std::move(rows));
  notify_best_changed(best);
  if (workspace_.source() != source_) catch_up();
}

/**
 * Inserts trials that arrived since the last call at their places in the order; called after a running job
 * ends.
 */
void TrialTableModel::catch_up() {
  if (job_.busy() || !workspace_.source() || !source_) return;
  const workspace::Source source = workspace_.source();
  // The first reading of the machine's speed adds columns.
  if (!same_columns(source, source_)) return reset();
  const bool speeds_changed = trial::earlier_rows_changed(source_->speeds.get(), source->speeds.get());
  const std::int64_t first_new = source_->trials.size();
  const std::int64_t best = source_->headline.row;
  const bool sort_again = by_ && speeds_changed && changes_later(column_at(static_cast<int>(by_->column)));
  if (sort_again || (by_ && source->trials.size() - first_new > max_merged_at_once)) {
    arrange_again();
    return;
  }
  if (!by_) {
    append(source);
  } else {
    source_ = source;
    Rows rows = rows_;
    const std::optional<analysis::RowSet> shown = rows_to_show();
    analysis::extend_order(rows, source->trials, source->columns(), *by_, first_new,
                           shown ? &*shown : nullptr);
    if (rows.size() != rows_.size()) replace_rows(std::move(rows));
  }
  notify_best_changed(best);
  if (speeds_changed && !rows_.empty())
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void TrialTableModel::append(const workspace::Source& source) {
  Rows arrived;
  const std::optional<analysis::RowSet> shown = rows_to_show();
  for (std::int64_t row = source_->trials.size(); row < source->trials.size(); ++row)
    if (!shown || shown->test(row)) arrived.push_back(static_cast<std::uint32_t>(row));
  source_ = source;
  if (arrived.empty()) return;
  emit rows_about_to_change();
  const int first = rowCount();
  beginInsertRows({}, first, first + static_cast<int>(arrived.size()) - 1);
  rows_.insert(rows_.end(), arrived.begin(), arrived.end());
  endInsertRows();
  emit rows_changed();
}

/**
 * If the number of rows decreases, rows are removed at the end; then the order changes; if the number
 * increases, rows are inserted at the end. So there is one signal of each kind, however scattered the changes
 * are.
 */
void TrialTableModel::replace_rows(Rows rows) {
  if (rows == rows_) return;
  emit rows_about_to_change();
  if (rows.size() < rows_.size()) {
    beginRemoveRows({}, static_cast<int>(rows.size()), static_cast<int>(rows_.size()) - 1);
    rows_.resize(rows.size());
    endRemoveRows();
  }
  const std::size_t common = rows_.size();
  emit layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
  move_persistent_indexes(rows, common);
  std::copy_n(rows.begin(), common, rows_.begin());
  emit layoutChanged({}, QAbstractItemModel::VerticalSortHint);
  if (rows.size() > common) {
    beginInsertRows({}, static_cast<int>(common), static_cast<int>(rows.size()) - 1);
    rows_ = std::move(rows);
    endInsertRows();
  }
  emit rows_changed();
}

void TrialTableModel::move_persistent_indexes(const Rows& rows, std::size_t count) {
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(count);
  const QModelIndexList before = persistentIndexList();
  QModelIndexList after;
  for (const QModelIndex& old : before) {
    const auto found = std::find(rows.begin(), end, rows_[static_cast<std::size_t>(old.row())]);
    after.append(found == end ? QModelIndex() : index(static_cast<int>(found - rows.begin()), old.column()));
  }
  changePersistentIndexList(before, after);
}

void TrialTableModel::notify_best_changed(std::int64_t before) {
  if (before == source_->headline.row) return;
  for (const std::int64_t row : {before, source_->headline.row}) {
    const int position = position_of(row);
    if (position >= 0) emit dataChanged(index(position, 0), index(position, columnCount() - 1));
  }
}

std::int64_t TrialTableModel::row_at(int position) const {
  const auto place = static_cast<std::size_t>(position);
  return position >= 0 && place < rows_.size() ? static_cast<std::int64_t>(rows_[place]) : analysis::no_row;
}

int TrialTableModel::position_of(std::int64_t trial_row) const {
  if (trial_row < 0) return -1;
  const auto found = std::ranges::find(rows_, static_cast<std::uint32_t>(trial_row));
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

int TrialTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int TrialTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() || !source_ ? 0 : static_cast<int>(source_->columns().columns().size());
}

const analysis::Column& TrialTableModel::column_at(int column) const {
  return source_->columns().columns()[static_cast<std::size_t>(column)];
}

double TrialTableModel::value_at(const QModelIndex& index) const {
  return source_->columns().value(source_->trials, row_at(index.row()),
                                  static_cast<std::size_t>(index.column()));
}

QVariant TrialTableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const analysis::Column& column = column_at(index.column());
  switch (role) {
    case Qt::DisplayRole:
      return shown_value(column, value_at(index));
    case Qt::TextAlignmentRole:
      return QVariant::fromValue(Qt::Alignment(
          (column.kind == analysis::ColumnKind::Label ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    case Qt::ToolTipRole:
      return tool_tip(index);
    case Qt::AccessibleTextRole:
      return QStringLiteral("%1: %2").arg(column_title(column), full_value(column, value_at(index)));
    case Qt::ForegroundRole:
      if (std::isnan(value_at(index))) return style::colours().muted_text;
      break;
    default:
      break;
  }
  return {};
}

QString TrialTableModel::tool_tip(const QModelIndex& index) const {
  const std::int64_t row = row_at(index.row());
  const std::int64_t trial = source_->trials.row(row).number;
  const analysis::Column& column = column_at(index.column());
  QString text =
      tr("trial %1").arg(trial) + QLatin1Char('\n') +
      QStringLiteral("%1: %2").arg(QString::fromStdString(column.title), full_value(column, value_at(index)));
  if (source_->trials.row(row).machine.slow_phase)
    text += QLatin1Char('\n') + tr("measured in a slow phase of the machine");
  if (row == source_->headline.row) text += QLatin1Char('\n') + best_trial_text(*source_);
  if (const QString again = measured_again_fact(*source_, trial); !again.isEmpty())
    text += QLatin1Char('\n') + again;
  return text;
}

QVariant TrialTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Vertical) return QAbstractTableModel::headerData(section, orientation, role);
  if (section < 0 || section >= columnCount()) return {};
  const analysis::Column& column = column_at(section);
  switch (role) {
    case Qt::DisplayRole:
      return column_title(column);
    case Qt::ToolTipRole:
      return column_help(column) + QLatin1Char('\n') + tr("click: sort; third click: order of arrival");
    case Qt::TextAlignmentRole:
      return QVariant::fromValue(Qt::Alignment(
          (column.kind == analysis::ColumnKind::Label ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    case Qt::InitialSortOrderRole:
      // The fastest trials first.
      return column.measured == trial::Measured::Gflops ? Qt::DescendingOrder : Qt::AscendingOrder;
    default:
      return {};
  }
}

}  // namespace kernelscape::models
