#include "ui/charts/landscape/heat_map_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/landscape/heat_map_painter.h"
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

HeatMapChart::HeatMapChart(QWidget* parent) : Chart(parent) {
  set_explanation(tr(
      "Two columns against each other, after figure 11 of Heron: each cell stands for the trials that share "
      "both values. It is coloured by their best performance, their mean, the share of them that is valid, "
      "or their number; brighter is more, or faster. Speeds and times are coloured by their rank among the "
      "cells, so that a single slow cell does not leave one colour for all others: the values beside the "
      "colours are those of the worst cell, of the best, and of the cells at a quarter, half and three "
      "quarters between them.\n\nAn outlined empty cell was not measured; a crossed cell has only failures; "
      "a dotted mean is of fewer than five valid trials. A bar at the foot of a cell is the share of it that "
      "is selected. A click selects the trials of a cell.\n\nThe best performance depends on the tuner: it "
      "measured more trials in regions that it preferred.\n\nThe predicted mean is an estimate, not a "
      "measurement: a Gaussian process, the model of the tuner gp, is fitted to the session's trials, "
      "filtered or not (of thousands, to the best and to random trials), and predicts the performance of up "
      "to 32 random feasible configurations of each cell, if they are valid, whether the cell was measured "
      "or not. A dot marks measured cells, a ring those without a valid trial; all others are prediction "
      "only. ± is the model's standard deviation for a single configuration. Far from all trials the model "
      "predicts their mean. A tuner's trials are not a random sample of the space."));
}

void HeatMapChart::set_data(HeatMapData data) {
  data_ = std::move(data);
  set_readout(std::nullopt);
  invalidate();
}

void HeatMapChart::paint_chart(Canvas& canvas, const QRectF& area) {
  if (!data_.cells.empty()) HeatMapPainter(data_, area).paint(canvas);
}

std::optional<std::size_t> HeatMapChart::cell_at(QPointF position) const {
  if (data_.cells.empty()) return std::nullopt;
  return HeatMapPainter(data_, body_rect()).cell_at(position);
}

std::optional<Readout> HeatMapChart::readout_at(QPointF position) const {
  const auto cell = cell_at(position);
  return cell ? std::optional(readout_of(*cell)) : std::nullopt;
}

std::optional<Readout> HeatMapChart::step_readout(const std::optional<Readout>& from,
                                                  Qt::Key direction) const {
  if (data_.cells.empty()) return std::nullopt;
  const auto cell = from ? cell_at(from->position) : std::nullopt;
  if (!cell) return readout_of(0);
  const auto columns = std::ssize(data_.x_labels);
  std::ptrdiff_t x = static_cast<std::ptrdiff_t>(*cell) % columns;
  std::ptrdiff_t y = static_cast<std::ptrdiff_t>(*cell) / columns;
  if (direction == Qt::Key_Left) --x;
  if (direction == Qt::Key_Right) ++x;
  if (direction == Qt::Key_Up) ++y;
  if (direction == Qt::Key_Down) --y;
  if (x < 0 || y < 0 || x >= columns || y >= std::ssize(data_.y_labels)) return std::nullopt;
  return readout_of(static_cast<std::size_t>(y * columns + x));
}

void HeatMapChart::activate(const Readout& readout) {
  const auto cell = cell_at(readout.position);
  if (!cell) return;
  emit cell_activated(static_cast<int>(*cell % data_.x_labels.size()),
                      static_cast<int>(*cell / data_.x_labels.size()));
}

Readout HeatMapChart::readout_of(std::size_t index) const {
  const std::size_t x = index % data_.x_labels.size();
  const std::size_t y = index / data_.x_labels.size();
  Readout readout{HeatMapPainter(data_, body_rect()).place_of(index).center(), {}, -1};
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
