#include <cmath>

#include "ui/charts/landscape/heat_map_layout.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

/** Rounds a deviation, which is not known more exactly. */
double two_digits(double value) {
  if (!(value > 0)) return value;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  return std::round(value / unit) * unit;
}

}  // namespace

Readout HeatMapChart::readout_of(std::size_t index) const {
  const std::size_t x = index % data_.x_labels.size();
  const std::size_t y = index / data_.x_labels.size();
  Readout readout{layout_of(body_rect()).cell(x, y).center(), {}, -1};
  readout.lines.append(data_.x_column + QStringLiteral(" = ") + data_.x_labels[x]);
  readout.lines.append(data_.y_column + QStringLiteral(" = ") + data_.y_labels[y]);
  readout.lines += data_.measure == HeatMeasure::Predicted ? predicted_lines(index) : measured_lines(index);
  if (index < data_.highlighted.size() && data_.highlighted[index] > 0)
    readout.lines.append(tr("%1 selected").arg(style::format_count(data_.highlighted[index])));
  return readout;
}

QStringList HeatMapChart::measured_lines(std::size_t index) const {
  const analysis::HeatCell& cell = data_.cells[index];
  if (cell.count == 0) return {tr("not measured")};
  QStringList lines{(cell.count == 1 ? tr("%1 trial, %2 valid") : tr("%1 trials, %2 valid"))
                        .arg(style::format_count(cell.count), style::format_count(cell.valid))};
  if (cell.valid > 0) {
    lines.append(tr("best %1").arg(style::format_quantity(cell.best, data_.unit)));
    lines.append(tr("mean %1").arg(style::format_quantity(cell.mean, data_.unit)));
  }
  return lines;
}

QStringList HeatMapChart::predicted_lines(std::size_t index) const {
  const analysis::BelievedCell& belief = data_.beliefs[index];
  if (belief.members == 0) return {tr("no feasible configuration found")};
  QString predicted = tr("predicted %1 (± %2)")
                          .arg(style::format_quantity(belief.performance, data_.unit),
                               style::format_quantity(two_digits(belief.deviation), data_.unit));
  if (belief.feasibility)
    predicted += tr(", probability of being valid %1").arg(style::format_percent(*belief.feasibility));
  const analysis::HeatCell& cell = data_.cells[index];
  if (cell.count == 0) return {predicted, tr("not measured")};
  const QString best =
      cell.valid > 0 ? tr("best %1").arg(style::format_quantity(cell.best, data_.unit)) : tr("none valid");
  const QString trials =
      cell.count == 1 ? tr("1 trial") : tr("%1 trials").arg(style::format_count(cell.count));
  const bool corrected = index < data_.corrected.size() && data_.corrected[index];
  return {predicted,
          (corrected ? tr("measured: %1, %2, corrected: the machine was slow") : tr("measured: %1, %2"))
              .arg(trials, best)};
}

Table HeatMapChart::table() const {
  const std::string unit = " (" + data_.unit.toStdString() + ")";
  Table table{{data_.x_column.toStdString(), data_.y_column.toStdString(), "trials", "valid", "best" + unit,
               "mean" + unit},
              {}};
  const bool predicted = data_.measure == HeatMeasure::Predicted;
  if (predicted)
    for (const std::string& column :
         {"predicted" + unit, "deviation" + unit, std::string("probability of being valid"),
          std::string("feasible configurations")})
      table.columns.push_back(column);
  for (std::size_t index = 0; index < data_.cells.size(); ++index) {
    const analysis::HeatCell& cell = data_.cells[index];
    const auto known = [&](double value) { return cell.valid > 0 ? value : std::nan(""); };
    table.rows.push_back({data_.x_labels[index % data_.x_labels.size()].toStdString(),
                          data_.y_labels[index / data_.x_labels.size()].toStdString(),
                          static_cast<double>(cell.count), static_cast<double>(cell.valid), known(cell.best),
                          known(cell.mean)});
    if (!predicted) continue;
    const analysis::BelievedCell& belief = data_.beliefs[index];
    const auto believed = [&](double value) { return belief.members > 0 ? value : std::nan(""); };
    for (const double value :
         {believed(belief.performance), believed(belief.deviation), belief.feasibility.value_or(std::nan("")),
          static_cast<double>(belief.members)})
      table.rows.back().emplace_back(value);
  }
  return table;
}

QString HeatMapChart::summary() const {
  const bool predicted = data_.measure == HeatMeasure::Predicted;
  std::optional<double> best;
  std::size_t place = 0;
  for (std::size_t index = 0; index < data_.cells.size(); ++index) {
    const analysis::HeatCell& cell = data_.cells[index];
    const bool known = predicted ? data_.beliefs[index].members > 0 : cell.valid > 0;
    if (!known) continue;
    const double value = predicted ? data_.beliefs[index].performance : cell.best;
    if (best && (data_.higher_is_better ? value <= *best : value >= *best)) continue;
    best = value;
    place = index;
  }
  if (!best) return {};
  const QString text =
      predicted ? tr("best predicted mean %1 at %2 = %3, %4 = %5") : tr("best %1 at %2 = %3, %4 = %5");
  return text.arg(style::format_quantity(*best, data_.unit), data_.x_column,
                  data_.x_labels[place % data_.x_labels.size()], data_.y_column,
                  data_.y_labels[place / data_.x_labels.size()]);
}

}  // namespace kernelscape::charts
