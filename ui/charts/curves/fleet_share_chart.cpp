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
/** Factor of the curve's number in a readout's row; the point's number is added. */
constexpr std::int64_t points_of_a_fleet_curve = std::int64_t{1} << 32;

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

Readout FleetShareChart::readout_of(std::size_t curve, std::size_t point, const PlotFrame& frame) const {
  const QPointF at = data_.curves[curve].points[point];
  Readout readout{
      place_of(frame, at),
      {number_text(at.x())},
      static_cast<std::int64_t>(curve) * points_of_a_fleet_curve + static_cast<std::int64_t>(point)};
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
  std::optional<std::pair<std::size_t, std::size_t>> nearest;
  std::pair<double, double> least;
  for (std::size_t curve = 0; curve < data_.curves.size(); ++curve)
    for (std::size_t point = 0; point < data_.curves[curve].points.size(); ++point) {
      const QPointF at = place_of(here, data_.curves[curve].points[point]);
      // Find the nearest fleet first, then the nearest of its curves.
      const std::pair distance{std::round(std::abs(at.x() - position.x())), std::abs(at.y() - position.y())};
      if (nearest && distance >= least) continue;
      least = distance;
      nearest = {curve, point};
    }
  return nearest ? std::optional(readout_of(nearest->first, nearest->second, here)) : std::nullopt;
}

std::optional<Readout> FleetShareChart::step_readout(const std::optional<Readout>& from,
                                                     Qt::Key direction) const {
  const PlotFrame here = frame();
  const auto& curves = data_.curves;
  if (!from || from->row < 0) {
    const auto first = std::ranges::find_if(curves, [](const auto& curve) { return !curve.points.empty(); });
    if (first == curves.end()) return std::nullopt;
    return readout_of(static_cast<std::size_t>(first - curves.begin()), 0, here);
  }
  const auto curve = static_cast<std::size_t>(from->row / points_of_a_fleet_curve);
  const auto point = static_cast<std::size_t>(from->row % points_of_a_fleet_curve);
  if (curve >= curves.size() || point >= curves[curve].points.size()) return std::nullopt;
  const std::size_t last = curves[curve].points.size() - 1;
  if (direction == Qt::Key_Left) return readout_of(curve, point == 0 ? 0 : point - 1, here);
  if (direction == Qt::Key_Right) return readout_of(curve, std::min(point + 1, last), here);
  const std::ptrdiff_t step = direction == Qt::Key_Up ? -1 : 1;
  for (auto other = static_cast<std::ptrdiff_t>(curve) + step; other >= 0 && other < std::ssize(curves);
       other += step) {
    const auto index = static_cast<std::size_t>(other);
    const auto same = std::ranges::find(curves[index].points, curves[curve].points[point].x(), &QPointF::x);
    if (same != curves[index].points.end())
      return readout_of(index, static_cast<std::size_t>(same - curves[index].points.begin()), here);
  }
  return from;
}

void FleetShareChart::activate(const Readout&) {}

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
