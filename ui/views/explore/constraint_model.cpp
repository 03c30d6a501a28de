#include "ui/views/explore/constraint_model.h"

#include <algorithm>

#include "ui/charts/landscape/constraint_text.h"
#include "ui/style/theme.h"

namespace kernelscape::views {

void ConstraintModel::set_data(charts::ConstraintData data) {
  const bool same = data.scene && data_.scene && (data.scene == data_.scene || *data.scene == *data_.scene);
  if (same) {
    data_ = std::move(data);
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    emit headerDataChanged(Qt::Horizontal, State, State);
    return;
  }
  beginResetModel();
  data_ = std::move(data);
  endResetModel();
}

int ConstraintModel::row_of(std::size_t node) const {
  if (!data_.scene) return -1;
  const auto found = std::ranges::find(data_.scene->items, node, &charts::ConstraintItem::node);
  return found == data_.scene->items.end() ? -1 : static_cast<int>(found - data_.scene->items.begin());
}

QString ConstraintModel::text(int row, int column) const {
  switch (column) {
    case Text:
      return charts::item_text(*data_.scene, item(row));
    case State:
      return charts::item_state(data_, item(row));
    case Kind:
      return charts::item_kind(*data_.scene, item(row));
    case Reason:
      return charts::item_reason(*data_.scene, item(row));
    default:
      return {};
  }
}

QString ConstraintModel::search_text(int row) const {
  QStringList all;
  for (int column = 0; column < ColumnCount; ++column) all.append(text(row, column));
  return all.join(QLatin1Char(' '));
}

int ConstraintModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !data_.scene ? 0 : static_cast<int>(data_.scene->items.size());
}

int ConstraintModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant ConstraintModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (role == Qt::ForegroundRole && index.column() == State) {
    const auto& constraint = item(index.row()).constraint;
    const bool violated = constraint && data_.trial && data_.trial->violates(*constraint);
    return violated ? QVariant(style::colours().warning) : QVariant();
  }
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  return text(index.row(), index.column());
}

QVariant ConstraintModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Text:
      return tr("rule or variable");
    case State:
      return data_.trial ? data_.trial->name : tr("value");
    case Kind:
      return tr("kind");
    case Reason:
      return tr("why");
    default:
      return {};
  }
}

}  // namespace kernelscape::views
