#include "ui/charts/landscape/heat_map_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/landscape/heat_map_layout.h"
#include "ui/charts/landscape/viridis_scale.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double max_label_share = 0.3;  // maximum share of the width for the labels of y

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

double HeatMapChart::value_of(std::size_t index) const {
  const analysis::HeatCell& cell = data_.cells[index];
  const bool has_speed = cell.valid > 0;
  switch (data_.measure) {
    case HeatMeasure::Best:
      return has_speed ? cell.best : std::nan("");
    case HeatMeasure::Mean:
      return has_speed ? cell.mean : std::nan("");
    case HeatMeasure::ShareValid:
      return cell.count > 0 ? cell.share_valid() : std::nan("");
    case HeatMeasure::Count:
      return cell.count > 0 ? static_cast<double>(cell.count) : std::nan("");
    case HeatMeasure::Predicted:
      return data_.beliefs[index].members > 0 ? data_.beliefs[index].performance : std::nan("");
  }
  return std::nan("");
}

QString HeatMapChart::text_of(double value) const {
  if (data_.measure == HeatMeasure::ShareValid) return style::format_percent(value);
  if (data_.measure == HeatMeasure::Count) return style::format_count(std::llround(value));
  return style::format_quantity(value, data_.unit);
}

HeatMapChart::Range HeatMapChart::range() const {
  Range range;
  if (data_.measure == HeatMeasure::ShareValid) return range;
  std::vector<double> values;
  for (std::size_t cell = 0; cell < data_.cells.size(); ++cell) values.push_back(value_of(cell));
  if (data_.measure == HeatMeasure::Count) {
    std::erase_if(values, [](double value) { return std::isnan(value); });
    range.high = values.empty() ? 0 : std::ranges::max(values);
  } else {
    range.performance = PerformanceScale(std::move(values), data_.higher_is_better);
  }
  return range;
}

HeatMapChart::Layout HeatMapChart::layout_of(const QRectF& area) const {
  Layout layout;
  const double line = text_height(style::TextSize::Small);
  double labels = 0;
  for (const QString& label : data_.y_labels)
    labels = std::max(labels, text_width(label, style::TextSize::Small));
  labels = std::min(labels, area.width() * max_label_share);
  const Range shown = range();
  const double legend_labels =
      is_performance(data_.measure)
          ? performance_label_width(shown.performance, [this](double value) { return text_of(value); })
          : std::max(text_width(text_of(shown.low), style::TextSize::Small),
                     text_width(text_of(shown.high), style::TextSize::Small));
  layout.plot = QRectF(QPointF(std::round(area.left() + labels + 8), std::round(area.top() + line + 2)),
                       QPointF(std::round(area.right() - viridis_bar_width - legend_labels - 22),
                               std::round(area.bottom() - 3 * line - 10)));
  layout.legend =
      QRectF(layout.plot.right() + 12, layout.plot.top(), viridis_bar_width, layout.plot.height());
  layout.key_y = area.bottom() - line / 2;
  layout.cell_width =
      layout.plot.width() / static_cast<double>(std::max<qsizetype>(1, std::ssize(data_.x_labels)));
  layout.cell_height =
      layout.plot.height() / static_cast<double>(std::max<qsizetype>(1, std::ssize(data_.y_labels)));
  return layout;
}

std::optional<std::size_t> HeatMapChart::cell_at(QPointF position) const {
  if (data_.cells.empty()) return std::nullopt;
  const Layout layout = layout_of(body_rect());
  if (!layout.plot.contains(position)) return std::nullopt;
  const auto x = static_cast<std::size_t>((position.x() - layout.plot.left()) / layout.cell_width);
  const auto y = static_cast<std::size_t>((layout.plot.bottom() - position.y()) / layout.cell_height);
  if (x >= data_.x_labels.size() || y >= data_.y_labels.size()) return std::nullopt;
  return y * data_.x_labels.size() + x;
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

}  // namespace kernelscape::charts
