#include "ui/charts/curves/fleet_share_chart.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "ui/charts/direct_labels.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double share_head_room = 1.05;  ///< margin beyond 100 %
constexpr double fleet_dot_radius = 3;

QPointF place_of(const PlotFrame& frame, QPointF point) { return frame.map(point.x(), point.y() * percent); }

}  // namespace

FleetShareChart::FleetShareChart(QWidget* parent) : XyChart(parent) {
  set_data({});
  set_explanation(tr(
      "Event-driven simulation of fleets, with trial times from a recorded space. Efficiency is the share of "
      "the workers' time that is useful work: builds and runs whose results arrived. For the rest of the "
      "time workers wait for the next task, for the last trials of a batch, for a tuner, or for a restart. "
      "If the controller or a Redis server is busy all the time, more workers do not increase throughput."));
}

void FleetShareChart::set_data(FleetShareData data) {
  data_ = std::move(data);
  set_readout(std::nullopt);
  home_changed();
  reset_view();
}

void FleetShareChart::home_changed() {
  Interval x{1, 2};
  for (const FleetShareCurve& curve : data_.curves)
    for (const QPointF& point : curve.points) x.high = std::max(x.high, point.x());
  set_home({data_.axis == FleetAxis::Workers ? tr("workers") : tr("batch"), {}, AxisScale::Log2, x},
           {data_.share, QStringLiteral("%"), AxisScale::Linear, {0, percent * share_head_room}});
}

void FleetShareChart::paint_data(Canvas& canvas, const PlotFrame& frame) {
  std::vector<PlotSeries> series;
  for (std::size_t index = 0; index < data_.curves.size(); ++index) {
    PlotLine line{data_.curves[index].points, arm_stroke(index)};
    for (QPointF& point : line.points) point.ry() *= percent;
    series.emplace_back(std::move(line));
  }
  paint_series(canvas, frame, series);
  for (std::size_t index = 0; index < data_.curves.size(); ++index) {
    std::vector<QPointF> places;
    for (const QPointF& point : data_.curves[index].points) places.push_back(place_of(frame, point));
    canvas.dots(places, fleet_dot_radius, arm_ink(index));
  }
  paint_names(canvas, frame);
}

void FleetShareChart::paint_names(Canvas& canvas, const PlotFrame& frame) const {
  std::vector<DirectLabel> labels;
  for (std::size_t index = 0; index < data_.curves.size(); ++index) {
    const std::vector<QPointF>& points = data_.curves[index].points;
    const auto after = std::ranges::upper_bound(points, frame.x.range.high, {}, &QPointF::x);
    if (after == points.begin()) continue;
    const double y = place_of(frame, *std::prev(after)).y();
    if (!(y >= frame.plot.top() - 1 && y <= frame.plot.bottom() + 1)) continue;
    labels.push_back({y - text_height(style::TextSize::Small), data_.curves[index].name, arm_ink(index)});
  }
  paint_direct_labels(canvas, frame.plot.adjusted(4, 0, -4, 0), Qt::AlignRight, labels);
}

QString FleetShareChart::number_text(double number) const {
  const QString count = style::format_count(std::llround(number));
  if (data_.axis == FleetAxis::Batch) return tr("batches of %1").arg(count);
  return number == 1 ? tr("1 worker") : tr("%1 workers").arg(count);
}

Readout FleetShareChart::readout_of(CurvePoint point, const PlotFrame& frame) const {
  const QPointF at = data_.curves[point.curve].points[point.point];
  Readout readout{place_of(frame, at), {number_text(at.x())}, -1, CurvePoints::mark_of(point)};
  for (const FleetShareCurve& other : data_.curves) {
    const auto found = std::ranges::find(other.points, at.x(), &QPointF::x);
    if (found != other.points.end())
      readout.lines.append(tr("%1  %2").arg(other.name, style::format_percent(found->y())));
  }
  return readout;
}

std::optional<Readout> FleetShareChart::readout_at(QPointF position) const {
  const PlotFrame here = frame();
  if (!here.plot.contains(position)) return std::nullopt;
  const auto nearest =
      CurvePoints(data_.curves).nearest(position, [&](QPointF point) { return place_of(here, point); });
  return nearest ? std::optional(readout_of(*nearest, here)) : std::nullopt;
}

std::optional<Readout> FleetShareChart::step_readout(const std::optional<Readout>& from,
                                                     Qt::Key direction) const {
  const CurvePoints points(data_.curves);
  if (from && from->mark >= 0) {
    const std::optional<CurvePoint> point = points.with_mark(from->mark);
    return point ? std::optional(readout_of(points.step(*point, direction), frame())) : std::nullopt;
  }
  const std::optional<std::size_t> first = points.first_curve();
  return first ? std::optional(readout_of({*first, 0}, frame())) : std::nullopt;
}

QString FleetShareChart::summary() const {
  QStringList parts;
  for (const FleetShareCurve& curve : data_.curves)
    if (!curve.points.empty())
      parts.append(tr("%1: %2 with %3")
                       .arg(curve.name, style::format_percent(curve.points.back().y()),
                            number_text(curve.points.back().x())));
  return parts.isEmpty() ? tr("nothing yet") : parts.join(QStringLiteral(", "));
}

Table FleetShareChart::table() const {
  Table table{
      {"curve", data_.axis == FleetAxis::Workers ? "workers" : "batch", data_.share.toStdString() + " (%)"},
      {}};
  for (const FleetShareCurve& curve : data_.curves)
    for (const QPointF& point : curve.points)
      table.rows.push_back({curve.name.toStdString(), point.x(), point.y() * percent});
  return table;
}

}  // namespace kernelscape::charts
