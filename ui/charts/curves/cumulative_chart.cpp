#include "ui/charts/curves/cumulative_chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr std::array marks = {0.01, 0.05, 0.10, 0.25};

double share_of(const CumulativePoint& point) { return point.point.share * percent; }

}  // namespace

CumulativeChart::CumulativeChart(QWidget* parent) : XyChart(parent) {
  set_y_scales({AxisScale::Linear, AxisScale::Log10});
  set_explanation(tr(
      "The cumulative distribution from the best down, after figure 4 of NoSE: the share of all trials, "
      "including failed ones, that are at most x % slower than the best one shown. A line that rises "
      "immediately means that good configurations are common; a line that stays low means that there are "
      "few.\n\nA click selects all trials up to that point. The band is the 95 % confidence interval "
      "(Wilson) of the share in the whole space; it is drawn only for random samples, since a tuner's choice "
      "of trials is not representative of the space."));
}

void CumulativeChart::set_data(CumulativeData data) {
  data_ = std::move(data);
  home_changed();
}

void CumulativeChart::home_changed() {
  double most = 1e-9;
  double least = percent;
  double farthest = 1e-9;
  for (const CumulativePoint& point : data_.points) {
    most = std::max(most, point.interval ? point.interval->second * percent : share_of(point));
    least = std::min(least, share_of(point));
    farthest = std::max(farthest, point.point.below_best * percent);
  }
  const bool logarithmic = y_scale() == AxisScale::Log10;
  set_home({tr("below the best"), QStringLiteral("%"), AxisScale::Linear, {0, farthest}},
           {tr("share of %1").arg(data_.of_what),
            QStringLiteral("%"),
            AxisScale::Linear,
            {logarithmic ? least / 2 : 0, logarithmic ? most * 1.5 : most * cumulative_head_room}});
}

void CumulativeChart::set_current(std::optional<double> below_best) {
  if (below_best == current_) return;
  current_ = below_best;
  update();
}

const CumulativePoint* CumulativeChart::point_at(double below_best) const {
  // Rounding to a pixel must not exclude the best trial itself.
  const auto after = std::ranges::upper_bound(data_.points, std::max(below_best, 0.0), {},
                                              [](const CumulativePoint& p) { return p.point.below_best; });
  return after == data_.points.begin() ? nullptr : &*std::prev(after);
}

void CumulativeChart::paint_data(Canvas& canvas, const PlotFrame& frame) {
  std::vector<QPointF> line;
  std::vector<QPointF> upper;
  std::vector<QPointF> lower;
  for (const CumulativePoint& point : data_.points) {
    const double x = point.point.below_best * percent;
    line.emplace_back(x, share_of(point));
    if (!point.interval) continue;
    upper.emplace_back(x, point.interval->second * percent);
    lower.emplace_back(x, point.interval->first * percent);
  }
  Ink faint{"interval", style::colours().accent};
  faint.colour.setAlphaF(0.18F);
  const std::array<PlotSeries, 2> series{PlotArea{stair(upper), stair(lower), faint},
                                         PlotLine{line, {accent_ink(), 2}, 0, true}};
  paint_series(canvas, frame, series);
  if (line.size() == 1) canvas.dots(std::array{frame.map(line[0].x(), line[0].y())}, 4, accent_ink());
  paint_marks(canvas, frame);
}

/** Paints the numbers in the empty corner: the line rises from the lower left to the upper right. */
void CumulativeChart::paint_marks(Canvas& canvas, const PlotFrame& frame) const {
  QStringList lines;
  double width = 0;
  for (const double mark : marks) {
    const CumulativePoint* point = point_at(mark);
    if (point == nullptr) continue;
    canvas.dots(std::array{frame.map(mark * percent, share_of(*point))}, 3.5, accent_ink());
    lines.append(tr("within %1: %2 (%3)")
                     .arg(style::format_percent(mark), style::format_percent(point->point.share),
                          style::format_count(point->point.count)));
    width = std::max(width, text_width(lines.back(), style::TextSize::Small));
  }
  const double line = text_height(style::TextSize::Small);
  QRectF box(0, 0, width + 8, line * static_cast<double>(lines.size()) + 4);
  const CumulativePoint* middle = point_at(frame.x.value_at(0.5) / percent);
  const bool convex = middle == nullptr || frame.y.fraction(share_of(*middle)) < 0.5;
  if (convex) {
    box.moveTopLeft(frame.plot.topLeft() + QPointF(8, 8));
  } else {
    box.moveBottomRight(frame.plot.bottomRight() - QPointF(8, 8));
  }
  if (lines.isEmpty() || box.width() > frame.plot.width() - 16) return;
  canvas.rect(box, surface_ink());
  for (qsizetype index = 0; index < lines.size(); ++index)
    canvas.text({box.left() + 4, box.top() + 2 + line * (static_cast<double>(index) + 0.5)}, lines[index],
                {.ink = text_ink()});
}

void CumulativeChart::paint_plot_overlay(Canvas& canvas, const PlotFrame& frame) {
  if (!current_) return;
  const CumulativePoint* point = point_at(*current_ + 1e-12);
  if (point == nullptr) return;
  canvas.ring(frame.map(*current_ * percent, share_of(*point)), 6, {text_ink(), 2, {}});
}

Readout CumulativeChart::readout_of(const CumulativePoint& point, double below_best,
                                    const PlotFrame& frame) const {
  Readout readout{frame.map(below_best * percent, share_of(point)), {}, -1};
  readout.lines.append(tr("within %1 of the best").arg(style::format_percent(below_best)));
  readout.lines.append(tr("%1 of %2 %3, %4")
                           .arg(style::format_count(point.point.count), style::format_count(data_.trials),
                                data_.of_what, style::format_percent(point.point.share)));
  if (point.interval)
    readout.lines.append(tr("95 % interval of the share in the space: %1 to %2")
                             .arg(style::format_percent(point.interval->first),
                                  style::format_percent(point.interval->second)));
  return readout;
}

std::optional<Readout> CumulativeChart::readout_at(QPointF position) const {
  const PlotFrame shown = frame();
  if (!shown.plot.contains(position)) return std::nullopt;
  const double below = std::max(0.0, shown.x_at(position.x()) / percent);
  const CumulativePoint* point = point_at(below);
  return point == nullptr ? std::nullopt : std::optional(readout_of(*point, below, shown));
}

std::optional<Readout> CumulativeChart::step_readout(const std::optional<Readout>& from,
                                                     Qt::Key direction) const {
  if (data_.points.empty()) return std::nullopt;
  const PlotFrame shown = frame();
  const bool back = direction == Qt::Key_Left || direction == Qt::Key_Down;
  const CumulativePoint* point = &data_.points.front();
  if (from) {
    const double below = shown.x_at(from->position.x()) / percent;
    const CumulativePoint* here = point_at(below + 1e-9);
    if (here == nullptr) here = point;
    const auto index = here - data_.points.data() + (back ? -1 : 1);
    if (index < 0 || index >= std::ssize(data_.points)) return std::nullopt;
    point = &data_.points[static_cast<std::size_t>(index)];
  }
  return readout_of(*point, point->point.below_best, shown);
}

void CumulativeChart::activate(const Readout& readout) {
  emit within_activated(std::max(0.0, frame().x_at(readout.position.x()) / percent));
}

Table CumulativeChart::table() const {
  Table table{{"below the best (%)", "trials", "share (%)", "low (%)", "high (%)"}, {}};
  for (const CumulativePoint& point : data_.points) {
    std::vector<Cell> row = {point.point.below_best * percent, static_cast<double>(point.point.count),
                             share_of(point), std::nan(""), std::nan("")};
    if (point.interval) {
      row[3] = point.interval->first * percent;
      row[4] = point.interval->second * percent;
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

QString CumulativeChart::summary() const {
  QStringList parts;
  for (const double mark : marks) {
    if (const CumulativePoint* point = point_at(mark))
      parts.append(tr("%1 within %2 of the best")
                       .arg(style::format_percent(point->point.share), style::format_percent(mark)));
  }
  return parts.join(QStringLiteral(", "));
}

}  // namespace kernelscape::charts
