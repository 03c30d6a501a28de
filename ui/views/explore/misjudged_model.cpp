#include "ui/views/explore/misjudged_model.h"

#include <algorithm>

#include "ui/style/numbers.h"

namespace kernelscape::views {
namespace {

/**
 * Returns "3.2 x too high" or "18 % too low": a factor if it is large, else a share of the measured value.
 */
QString misjudgement_text(const figures::MisjudgedTrial& trial) {
  constexpr double large_factor = 2;
  if (!(trial.predicted > 0)) return MisjudgedModel::tr("no prediction");
  const bool high = trial.predicted > trial.measured;
  const double factor = high ? trial.predicted / trial.measured : trial.measured / trial.predicted;
  if (factor >= large_factor)
    return (high ? MisjudgedModel::tr("%1 x too high") : MisjudgedModel::tr("%1 x too low"))
        .arg(style::format_number(factor, 3));
  const QString share = style::format_percent(std::abs(trial.predicted / trial.measured - 1));
  return (high ? MisjudgedModel::tr("%1 too high") : MisjudgedModel::tr("%1 too low")).arg(share);
}

}  // namespace

void MisjudgedModel::set_trials(const std::vector<figures::MisjudgedTrial>& trials, const QString& unit) {
  if (trials == trials_ && unit == unit_) return;
  beginResetModel();
  trials_ = trials;
  unit_ = unit;
  endResetModel();
}

int MisjudgedModel::row_of(std::int64_t trial_row) const {
  const auto found = std::ranges::find(trials_, trial_row, &figures::MisjudgedTrial::row);
  return found == trials_.end() ? -1 : static_cast<int>(found - trials_.begin());
}

int MisjudgedModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(trials_.size());
}

int MisjudgedModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString MisjudgedModel::text(const figures::MisjudgedTrial& trial, int column) const {
  switch (column) {
    case Trial:
      return style::format_count(trial.trial);
    case Predicted:
      return style::format_quantity(trial.predicted, unit_);
    case Measured:
      return style::format_quantity(trial.measured, unit_);
    case Factor:
      return misjudgement_text(trial);
    case Configuration:
      return trial.configuration;
    default:
      return {};
  }
}

QVariant MisjudgedModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
      return text(trial(index.row()), index.column());
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (index.column() < Factor ? Qt::AlignRight : Qt::AlignLeft));
    default:
      return {};
  }
}

QVariant MisjudgedModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::AlignVCenter | (section < Factor ? Qt::AlignRight : Qt::AlignLeft));
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Trial:
      return tr("trial");
    case Predicted:
      return tr("predicted");
    case Measured:
      return tr("measured");
    case Factor:
      return tr("prediction was");
    case Configuration:
      return tr("configuration");
    default:
      return {};
  }
}

}  // namespace kernelscape::views
