#include "ui/models/network_layer_model.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/trial/trial.h"
#include "core/trial/vendor_result.h"
#include "ui/style/numbers.h"

namespace kernelscape::models {
namespace {

constexpr qsizetype max_nodes_shown = 12;

bool is_layer_text(int column) {
  return column == NetworkLayerModel::LayerColumn || column == NetworkLayerModel::TemplateColumn ||
         column == NetworkLayerModel::StateColumn;
}

QString seconds_text(double seconds) {
  return seconds > 0 ? style::format_quantity(seconds, QStringLiteral("s")) : style::no_number();
}

/** Returns GFLOP/s of a call, or calls per second if the FLOPs are not known; 0 if there is no kernel. */
double speed_of_layer(const NetworkLayerRow& row) {
  return row.has_kernel() ? trial::fitness_of(row.outcome->seconds, row.outcome->flops) : 0;
}

QString nodes_text(const NetworkLayerRow& row) {
  QStringList lines = row.nodes.mid(0, max_nodes_shown);
  if (row.nodes.size() > max_nodes_shown)
    lines.append(
        NetworkLayerModel::tr("and %1 more").arg(style::format_count(row.nodes.size() - max_nodes_shown)));
  return lines.join(QLatin1Char('\n'));
}

QString vendor_tip(const NetworkLayerRow& row) {
  if (!row.has_kernel()) return {};
  QStringList lines;
  if (row.outcome->vendor_seconds > 0)
    lines.append(NetworkLayerModel::tr("%1: %2 per call")
                     .arg(QString::fromStdString(
                              trial::vendor_title(row.outcome->vendor_name, row.outcome->vendor_algorithm)),
                          seconds_text(row.outcome->vendor_seconds)));
  if (row.limit_seconds > 0)
    lines.append(NetworkLayerModel::tr("at the limit of the machine (%1): %2 per call")
                     .arg(row.limit_name, seconds_text(row.limit_seconds)));
  if (lines.isEmpty()) lines.append(NetworkLayerModel::tr("The vendor's library was not measured."));
  return lines.join(QLatin1Char('\n'));
}

QVariant alignment(bool text) { return QVariant(Qt::AlignVCenter | (text ? Qt::AlignLeft : Qt::AlignRight)); }

}  // namespace

void NetworkLayerModel::set_layers(std::vector<NetworkLayerRow> layers) {
  const auto same_layer = [](const NetworkLayerRow& a, const NetworkLayerRow& b) {
    return a.text == b.text && a.multiplicity == b.multiplicity;
  };
  if (std::ranges::equal(layers, layers_, same_layer)) {
    layers_ = std::move(layers);
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
    return;
  }
  beginResetModel();
  layers_ = std::move(layers);
  endResetModel();
}

int NetworkLayerModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(layers_.size());
}

int NetworkLayerModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QString NetworkLayerModel::text(const NetworkLayerRow& row, int column) {
  const bool kernel = row.has_kernel();
  switch (column) {
    case LayerColumn:
      return row.title;
    case CallsColumn:
      return style::format_count(row.multiplicity);
    case WorkColumn:
      return row.flops > 0 ? style::format_quantity(row.flops, QStringLiteral("FLOP")) : style::no_number();
    case ShareColumn:
      return style::format_percent(row.share);
    case BytesColumn:
      return row.bytes > 0 ? style::format_bytes(row.bytes) : style::no_number();
    case TemplateColumn:
      return !row.obstacle.isEmpty() ? tr("none") : row.maker.isEmpty() ? style::no_number() : row.maker;
    case TimeColumn:
      return seconds_text(kernel ? row.outcome->seconds : 0);
    case AllTimeColumn:
      return seconds_text(row.all_seconds());
    case LatencyColumn:
      return row.share_of_latency ? style::format_percent(*row.share_of_latency) : style::no_number();
    case SpeedColumn:
      return !kernel ? style::no_number()
                     : style::format_quantity(
                           speed_of_layer(row) * (row.outcome->flops > 0 ? style::giga : 1),
                           row.outcome->flops > 0 ? QStringLiteral("FLOPS") : QStringLiteral("calls/s"));
    case VendorColumn:
      return kernel && row.outcome->share_of_vendor() ? style::format_percent(*row.outcome->share_of_vendor())
                                                      : style::no_number();
    case TrialsColumn:
      return row.outcome ? style::format_count(row.outcome->trials) : style::no_number();
    default:
      return layer_state_text(row);
  }
}

QString NetworkLayerModel::tip(const NetworkLayerRow& row, int column) {
  if (column == LayerColumn) {
    QStringList parts{row.text, nodes_text(row)};
    parts.removeAll(QString());
    return parts.join(QStringLiteral("\n\n"));
  }
  if ((column == TemplateColumn || column == StateColumn) && !row.obstacle.isEmpty()) return row.obstacle;
  if (column == VendorColumn) return vendor_tip(row);
  if (column == LatencyColumn && row.share_of_latency)
    return tr("%1 of the latency of the whole model is spent in this layer, with what is applied to its "
              "result")
        .arg(style::format_percent(*row.share_of_latency));
  return text(row, column);
}

QVariant NetworkLayerModel::sort_value(const NetworkLayerRow& row, int column) {
  switch (column) {
    case CallsColumn:
      return qlonglong{row.multiplicity};
    case WorkColumn:
      return row.flops;
    case ShareColumn:
      return row.share;
    case BytesColumn:
      return row.bytes;
    case TimeColumn:
      return row.has_kernel() ? row.outcome->seconds : 0.0;
    case AllTimeColumn:
      return row.all_seconds();
    case LatencyColumn:
      return row.share_of_latency.value_or(0);
    case SpeedColumn:
      return speed_of_layer(row);
    case VendorColumn:
      return row.has_kernel() ? row.outcome->share_of_vendor().value_or(0) : 0.0;
    case TrialsColumn:
      return row.outcome ? qlonglong{row.outcome->trials} : qlonglong{-1};
    default:
      return text(row, column);
  }
}

QVariant NetworkLayerModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const NetworkLayerRow& shown = layer(index.row());
  switch (role) {
    case Qt::DisplayRole:
      return text(shown, index.column());
    case Qt::ToolTipRole:
      return tip(shown, index.column());
    case Qt::TextAlignmentRole:
      return alignment(is_layer_text(index.column()));
    case SortRole:
      return sort_value(shown, index.column());
    default:
      return {};
  }
}

QVariant NetworkLayerModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::TextAlignmentRole) return alignment(is_layer_text(section));
  if (role != Qt::DisplayRole) return {};
  const std::array<QString, column_count> titles = {
      tr("Layer"), tr("Calls"),           tr("All calls"), tr("Of latency"), tr("Time per call"),
      tr("Speed"), tr("Of vendor"),       tr("Trials"),    tr("State"),      tr("Share of work"),
      tr("Work"),  tr("Minimum traffic"), tr("Template")};
  return titles[static_cast<std::size_t>(section)];
}

void OtherOperatorModel::set_operators(std::vector<task::OtherOperators> operators) {
  if (operators == operators_) return;
  beginResetModel();
  operators_ = std::move(operators);
  endResetModel();
}

int OtherOperatorModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(operators_.size());
}

int OtherOperatorModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QString OtherOperatorModel::text(const task::OtherOperators& others, int column) {
  switch (column) {
    case OperatorColumn:
      return QString::fromStdString(others.name);
    case CountColumn:
      return style::format_count(others.count);
    case BytesColumn: {
      const QString bytes = style::format_bytes(others.bytes);
      return others.unknown > 0 ? tr("%1, unknown for %2").arg(bytes, style::format_count(others.unknown))
                                : bytes;
    }
    default: {
      if (others.once) return tr("computed once, before the network runs");
      const QString reason = QString::fromStdString(others.reason);
      if (others.flops <= 0) return reason;
      return tr("%1 (%2)").arg(reason, style::format_quantity(others.flops, QStringLiteral("FLOP")));
    }
  }
}

QVariant OtherOperatorModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const task::OtherOperators& others = at(index.row());
  switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
      return text(others, index.column());
    case Qt::TextAlignmentRole:
      return alignment(index.column() == OperatorColumn || index.column() == ReasonColumn);
    case SortRole:
      if (index.column() == CountColumn) return qlonglong{others.count};
      if (index.column() == BytesColumn) return others.bytes;
      return text(others, index.column());
    default:
      return {};
  }
}

QVariant OtherOperatorModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::TextAlignmentRole) return alignment(section == OperatorColumn || section == ReasonColumn);
  if (role != Qt::DisplayRole) return {};
  const std::array<QString, column_count> titles = {tr("Operator"), tr("Count"), tr("Bytes"), tr("Reason")};
  return titles[static_cast<std::size_t>(section)];
}

}  // namespace kernelscape::models
