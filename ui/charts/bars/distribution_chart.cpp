#include "ui/charts/bars/distribution_chart.h"

#include <QMenu>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {

DistributionChart::DistributionChart(QWidget* parent) : XyChart(parent) {
  set_explanation(tr(
      "The distribution of the performance of valid trials, as in figure 4 of NoSE: each bar counts the "
      "trials between its two ends. Bars start at zero and are never logarithmic; bins of equal ratio are in "
      "the menu. Failed trials have no performance: the title shows their number.\n\nA click selects the "
      "trials of a bar, Ctrl+drag those of a range; the selected part of each bar is coloured.\n\nA tuner's "
      "trials are biased towards configurations that it prefers: only a sweep or a random sample shows the "
      "distribution of the space itself."));
}

void DistributionChart::set_data(DistributionData data) {
  data_ = std::move(data);
  const analysis::Histogram& histogram = data_.histogram;
  const std::int64_t most = histogram.counts.empty() ? 1 : std::ranges::max(histogram.counts);
  const bool empty = histogram.edges.empty();
  const AxisScale scale = data_.logarithmic ? AxisScale::Log10 : AxisScale::Linear;
  set_home({data_.quantity,
            data_.unit,
            scale,
            {empty ? 0 : histogram.edges.front(), empty ? 1 : histogram.edges.back()}},
           {tr("trials"), {}, AxisScale::Linear, {0, static_cast<double>(most) * cumulative_head_room}});
}

void DistributionChart::set_current(std::optional<double> performance) {
  if (performance == current_) return;
  current_ = performance;
  update();
}

std::optional<std::size_t> DistributionChart::bin_of(double value) const {
  const std::vector<double>& edges = data_.histogram.edges;
  if (edges.size() < 2 || !(value >= edges.front()) || value > edges.back()) return std::nullopt;
  const auto after = std::ranges::upper_bound(edges, value);
  const auto bin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - edges.begin() - 1, 0));
  return std::min(bin, data_.histogram.counts.size() - 1);
}

std::int64_t DistributionChart::highlighted(std::size_t bin) const {
  return bin < data_.highlighted.size() ? data_.highlighted[bin] : 0;
}

void DistributionChart::paint_data(Canvas& canvas, const PlotFrame& frame) {
  const analysis::Histogram& histogram = data_.histogram;
  std::vector<PlotSeries> bars;
  std::vector<PlotSeries> marked;
  for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    const double left = frame.map_x(histogram.edges[bin]);
    const double right = frame.map_x(histogram.edges[bin + 1]);
    const double gap = right - left > 4 ? 0.5 : 0;
    const Interval x{frame.x_at(left + gap), frame.x_at(right - gap)};
    bars.emplace_back(PlotBar{x, {0, static_cast<double>(histogram.counts[bin])}, {accent_ink()}});
    marked.emplace_back(PlotBar{x, {0, static_cast<double>(highlighted(bin))}, {marked_ink()}});
  }
  bars.insert(bars.end(), marked.begin(), marked.end());
  paint_series(canvas, frame, bars);
}

void DistributionChart::paint_plot_overlay(Canvas& canvas, const PlotFrame& frame) {
  if (!current_) return;
  const double x = frame.map_x(*current_);
  canvas.line({x, frame.plot.top()}, {x, frame.plot.bottom()}, {text_ink(), 1.5, {4, 3}});
  const bool left = x > frame.plot.center().x();
  canvas.text({x + (left ? -5 : 5), frame.plot.top() + 2}, tr("current trial"),
              {.ink = text_ink(), .anchor = Qt::AlignTop | (left ? Qt::AlignRight : Qt::AlignLeft)});
}

Readout DistributionChart::readout_of(std::size_t bin, const PlotFrame& frame) const {
  const analysis::Histogram& histogram = data_.histogram;
  const double middle = (frame.map_x(histogram.edges[bin]) + frame.map_x(histogram.edges[bin + 1])) / 2;
  const std::int64_t count = histogram.counts[bin];
  Readout readout{{middle, frame.map_y(static_cast<double>(count))}, {}, -1};
  readout.lines.append(tr("%1 to %2")
                           .arg(style::format_quantity(histogram.edges[bin], data_.unit),
                                style::format_quantity(histogram.edges[bin + 1], data_.unit)));
  readout.lines.append(
      (count == 1 ? tr("%1 trial, %2 of the valid trials") : tr("%1 trials, %2 of the valid trials"))
          .arg(style::format_count(count),
               style::format_percent(static_cast<double>(count) / static_cast<double>(histogram.valid))));
  if (highlighted(bin) > 0)
    readout.lines.append(tr("%1 of them selected").arg(style::format_count(highlighted(bin))));
  return readout;
}

std::optional<Readout> DistributionChart::readout_at(QPointF position) const {
  const PlotFrame shown = frame();
  if (!shown.plot.contains(position)) return std::nullopt;
  const auto bin = bin_of(shown.x_at(position.x()));
  return bin ? std::optional(readout_of(*bin, shown)) : std::nullopt;
}

std::optional<Readout> DistributionChart::step_readout(const std::optional<Readout>& from,
                                                       Qt::Key direction) const {
  if (data_.histogram.counts.empty()) return std::nullopt;
  const PlotFrame shown = frame();
  const int step = direction == Qt::Key_Left || direction == Qt::Key_Down ? -1 : 1;
  const int last = static_cast<int>(data_.histogram.counts.size()) - 1;
  int bin = step > 0 ? -1 : last + 1;
  if (from) bin = static_cast<int>(bin_of(shown.x_at(from->position.x())).value_or(0));
  // Skip empty bins.
  do bin += step;
  while (bin >= 0 && bin <= last && data_.histogram.counts[static_cast<std::size_t>(bin)] == 0);
  if (bin < 0 || bin > last) return std::nullopt;
  return readout_of(static_cast<std::size_t>(bin), shown);
}

void DistributionChart::activate(const Readout& readout) {
  const auto bin = bin_of(frame().x_at(readout.position.x()));
  if (!bin) return;
  const std::vector<double>& edges = data_.histogram.edges;
  emit range_activated(edges[*bin], edges[*bin + 1], *bin + 2 == edges.size());
}

std::vector<qint64> DistributionChart::rows_in(const QRectF& rectangle) const {
  if (!data_.rows_between) return {};
  const PlotFrame shown = frame();
  return data_.rows_between(shown.x_at(rectangle.left()), shown.x_at(rectangle.right()), true);
}

void DistributionChart::extend_menu(QMenu& menu) {
  QAction* action = menu.addAction(tr("Logarithmic %1").arg(data_.quantity));
  action->setCheckable(true);
  action->setChecked(data_.logarithmic);
  connect(action, &QAction::toggled, this, &DistributionChart::logarithmic_requested);
  XyChart::extend_menu(menu);
}

Table DistributionChart::table() const {
  const std::string unit = data_.unit.toStdString();
  Table table{{"from (" + unit + ")", "to (" + unit + ")", "trials", "selected"}, {}};
  for (std::size_t bin = 0; bin < data_.histogram.counts.size(); ++bin)
    table.rows.push_back({data_.histogram.edges[bin], data_.histogram.edges[bin + 1],
                          static_cast<double>(data_.histogram.counts[bin]),
                          static_cast<double>(highlighted(bin))});
  return table;
}

QString DistributionChart::summary() const {
  if (data_.histogram.edges.empty()) return {};
  return tr("%1 valid trials from %2 to %3")
      .arg(style::format_count(data_.histogram.valid),
           style::format_quantity(data_.histogram.edges.front(), data_.unit),
           style::format_quantity(data_.histogram.edges.back(), data_.unit));
}

}  // namespace kernelscape::charts
