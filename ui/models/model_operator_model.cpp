#include "ui/models/model_operator_model.h"

#include <array>
#include <utility>

#include "ui/style/numbers.h"

namespace kernelscape::models {
namespace {

constexpr qsizetype max_nodes_in_tip = 40;

QString first_node_text(const QStringList& nodes) {
  if (nodes.isEmpty()) return ModelOperatorModel::tr("none: added");
  if (nodes.size() == 1) return nodes.front();
  return ModelOperatorModel::tr("%1 + %2 more").arg(nodes.front(), style::format_count(nodes.size() - 1));
}

QString all_nodes_text(const QStringList& nodes) {
  if (nodes.isEmpty())
    return ModelOperatorModel::tr("It computes no node of the model: a pass over the graph added it.");
  QStringList lines = nodes.mid(0, max_nodes_in_tip);
  if (nodes.size() > max_nodes_in_tip)
    lines.append(
        ModelOperatorModel::tr("and %1 more").arg(style::format_count(nodes.size() - max_nodes_in_tip)));
  return lines.join(QLatin1Char('\n'));
}

}  // namespace

void ModelOperatorModel::set_operators(std::vector<workspace::ModelOperator> operators) {
  beginResetModel();
  operators_ = std::move(operators);
  endResetModel();
}

void ModelOperatorModel::set_layers(const std::vector<study::NetworkLayerOutcome>& layers) {
  std::map<std::string, double, std::less<>> speeds;
  for (const study::NetworkLayerOutcome& layer : layers)
    if (layer.trial >= 0 && layer.seconds > 0) speeds[layer.text] = layer.flops / layer.seconds;
  if (speeds == speeds_) return;
  speeds_ = std::move(speeds);
  if (rowCount() > 0) emit dataChanged(index(0, KernelColumn), index(rowCount() - 1, SpeedColumn));
}

QString ModelOperatorModel::searched_text(int row) const {
  QStringList parts = at(row).nodes;
  for (int column = 0; column < column_count; ++column) parts.append(text(at(row), column));
  return parts.join(QLatin1Char('\n'));
}

int ModelOperatorModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(operators_.size());
}

int ModelOperatorModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

/** Returns the FLOP/s of the tuned kernel; 0 if the operator has none. */
double ModelOperatorModel::speed(const workspace::ModelOperator& row) const {
  const auto found = row.task.empty() ? speeds_.end() : speeds_.find(row.task);
  return found == speeds_.end() ? 0 : found->second;
}

QString ModelOperatorModel::text(const workspace::ModelOperator& row, int column) const {
  switch (column) {
    case NameColumn:
      return row.name;
    case OperatorColumn:
      return row.operation;
    case ResultColumn:
      return row.result;
    case EpilogueColumn:
      return row.epilogue;
    case NodesColumn:
      return first_node_text(row.nodes);
    case KernelColumn:
      return !row.obstacle.isEmpty() ? tr("none")
             : row.task.empty()      ? tr("operator in C")
             : speed(row) > 0        ? tr("tuned")
                                     : tr("default configuration");
    default:
      return speed(row) > 0 ? style::format_quantity(speed(row), QStringLiteral("FLOPS"))
                            : style::no_number();
  }
}

QString ModelOperatorModel::tip(const workspace::ModelOperator& row, int column) const {
  if (column == NodesColumn) return all_nodes_text(row.nodes);
  if (column == KernelColumn && !row.obstacle.isEmpty()) return row.obstacle;
  if (column == KernelColumn && !row.task.empty()) return QString::fromStdString(row.task);
  return text(row, column);
}

QVariant ModelOperatorModel::sort_value(const workspace::ModelOperator& row, int column) const {
  if (column == NodesColumn) return qlonglong{row.nodes.size()};
  if (column == SpeedColumn) return speed(row);
  return text(row, column);
}

QVariant ModelOperatorModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const workspace::ModelOperator& shown = at(index.row());
  switch (role) {
    case Qt::DisplayRole:
      return text(shown, index.column());
    case Qt::ToolTipRole:
      return tip(shown, index.column());
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (index.column() == SpeedColumn ? Qt::AlignRight : Qt::AlignLeft));
    case SortRole:
      return sort_value(shown, index.column());
    default:
      return {};
  }
}

QVariant ModelOperatorModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::AlignVCenter | (section == SpeedColumn ? Qt::AlignRight : Qt::AlignLeft));
  if (role != Qt::DisplayRole) return {};
  const std::array<QString, column_count> titles = {tr("Node"),     tr("Operator"),      tr("Result"),
                                                    tr("Epilogue"), tr("Model's nodes"), tr("Kernel"),
                                                    tr("Speed")};
  return titles[static_cast<std::size_t>(section)];
}

}  // namespace kernelscape::models
