#include "ui/views/explore/neighbour_model.h"

#include <algorithm>

#include "ui/style/numbers.h"
#include "ui/style/theme.h"

namespace kernelscape::views {
namespace {

bool is_number(int column) {
  return column == NeighbourModel::Probability || column == NeighbourModel::Trial ||
         column == NeighbourModel::Performance;
}

QString error_text(trial::ErrorCategory category) {
  const std::string_view name = trial::to_string(category);
  // Two spaces, because a number ends directly before the text.
  return QStringLiteral("  ") + QLatin1Char(style::colours().of(category).letter) + QStringLiteral("  ") +
         QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

/** Returns a number to sort by; nullopt if the column is a text or the number is not known. */
std::optional<double> sort_key(const NeighbourRow& neighbour, int column) {
  const bool measured = neighbour.row != analysis::no_row;
  switch (column) {
    case NeighbourModel::Probability:
      return neighbour.probability;
    case NeighbourModel::Trial:
      return measured ? std::optional(static_cast<double>(neighbour.trial)) : std::nullopt;
    case NeighbourModel::Performance:
      return neighbour.performance > 0 ? std::optional(neighbour.performance) : std::nullopt;
    case NeighbourModel::Error:
      return measured ? std::optional(static_cast<double>(neighbour.category)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

void NeighbourModel::set_neighbours(std::vector<NeighbourRow> neighbours, const QString& unit) {
  beginResetModel();
  neighbours_ = std::move(neighbours);
  for (std::size_t index = 0; index < neighbours_.size(); ++index) neighbours_[index].order = index;
  unit_ = unit;
  sort_rows();
  endResetModel();
}

void NeighbourModel::sort(int column, Qt::SortOrder order) {
  if (column == sorted_by_ && order == order_) return;
  emit layoutAboutToBeChanged();
  const QModelIndexList old = persistentIndexList();
  std::vector<std::size_t> persistent;
  for (const QModelIndex& index : old)
    persistent.push_back(neighbours_[static_cast<std::size_t>(index.row())].order);
  sorted_by_ = column;
  order_ = order;
  sort_rows();
  std::vector<int> row_of_order(neighbours_.size());
  for (std::size_t row = 0; row < neighbours_.size(); ++row)
    row_of_order[neighbours_[row].order] = static_cast<int>(row);
  for (qsizetype place = 0; place < old.size(); ++place)
    changePersistentIndex(
        old[place], index(row_of_order[persistent[static_cast<std::size_t>(place)]], old[place].column()));
  emit layoutChanged();
}

void NeighbourModel::sort_rows() {
  std::ranges::sort(neighbours_, {}, &NeighbourRow::order);
  if (sorted_by_ < 0) return;
  const bool descending = order_ == Qt::DescendingOrder;
  const bool by_text = sorted_by_ == Knob || sorted_by_ == Move || sorted_by_ == Value;
  std::ranges::stable_sort(neighbours_, [&](const NeighbourRow& a, const NeighbourRow& b) {
    if (by_text) {
      const int compared = text(a, sorted_by_).compare(text(b, sorted_by_));
      return descending ? compared > 0 : compared < 0;
    }
    const auto first = sort_key(a, sorted_by_);
    const auto second = sort_key(b, sorted_by_);
    if (!first || !second) return first.has_value() && !second.has_value();
    return descending ? *first > *second : *first < *second;
  });
}

int NeighbourModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(neighbours_.size());
}

int NeighbourModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString NeighbourModel::text(const NeighbourRow& neighbour, int column) const {
  const bool measured = neighbour.row != analysis::no_row;
  switch (column) {
    case Knob:
      return neighbour.knob;
    case Move:
      return neighbour.move;
    case Value:
      return neighbour.value;
    case Probability:
      return style::format_percent(neighbour.probability);
    case Trial:
      return measured ? style::format_count(neighbour.trial) : tr("not measured");
    case Performance:
      return neighbour.performance > 0 ? style::format_quantity(neighbour.performance, unit_)
                                       : style::no_number();
    case Error:
      return measured ? error_text(neighbour.category) : QString();
    default:
      return {};
  }
}

QVariant NeighbourModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const NeighbourRow& neighbour = neighbours_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return text(neighbour, index.column());
    case Qt::ToolTipRole:
      return neighbour.full;
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (is_number(index.column()) ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::ForegroundRole:
      if (index.column() == Error && neighbour.row != analysis::no_row)
        return style::colours().of(neighbour.category).colour;
      if (index.column() == Performance && neighbour.better) return style::colours().accent;
      if (neighbour.row == analysis::no_row && index.column() == Trial) return style::colours().muted_text;
      return {};
    default:
      return {};
  }
}

QVariant NeighbourModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::AlignVCenter | (is_number(section) ? Qt::AlignRight : Qt::AlignLeft));
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Knob:
      return tr("knob");
    case Move:
      return tr("move");
    case Value:
      return tr("new value");
    case Probability:
      return tr("walk probability");
    case Trial:
      return tr("trial");
    case Performance:
      return unit_ == QStringLiteral("ms") ? tr("time per call") : tr("speed");
    case Error:
      return QStringLiteral("  ") + tr("error");
    default:
      return {};
  }
}

}  // namespace kernelscape::views
