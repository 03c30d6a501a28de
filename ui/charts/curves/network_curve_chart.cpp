#include "ui/charts/curves/network_curve_chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/curves/progress_axis.h"
#include "ui/charts/direct_labels.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double network_milliseconds = 1e3;  ///< milliseconds of a second
constexpr double network_margin = 0.08;
/** More marks than this would hide the line. */
constexpr std::size_t max_marked_points = 200;

double y_of_seconds(double seconds) { return seconds * network_milliseconds; }

}  // namespace

NetworkCurveChart::NetworkCurveChart(QWidget* parent) : XyChart(parent) {
  set_title(tr("Time of the network"));
  set_y_scales({AxisScale::Linear, AxisScale::Log10});
  home_changed();
  set_explanation(tr(
      "The time of a run of the network's layers, while they are tuned one after the other: the sum of the "
      "best kernel of each layer, times the number of calls. The curve begins when every layer has a kernel. "
      "Other computations of the network are not included.\n\nThe dashed lines are the same sum with the "
      "kernels of the vendor's library, and with every layer at the machine's limit: its operations at the "
      "measured peak or its bytes at the measured bandwidth, whichever takes longer. A diamond is the sum of "
      "the times that were measured again at the end. The curve itself uses the trials' own times, whose "
      "minimum is biased downwards.\n\nAs Ansor (Zheng et al., OSDI 2020), figure 10."));
}

void NetworkCurveChart::set_data(NetworkCurveData data) {
  const bool same = data.x == data_.x;
  data_ = std::move(data);
  home_changed();
  if (!same) reset_view();
  refresh_readout();
  invalidate();
}

void NetworkCurveChart::home_changed() {
  double low = HUGE_VAL;
  double high = 0;
  const auto take = [&](double seconds) {
    if (!(seconds > 0)) return;
    low = std::min(low, y_of_seconds(seconds));
    high = std::max(high, y_of_seconds(seconds));
  };
  for (const NetworkCurvePoint& point : data_.points) take(point.seconds);
  for (const ReferenceLine& reference : data_.references) take(reference.seconds);
  if (data_.confirmed_seconds) take(*data_.confirmed_seconds);
  if (high == 0) low = high = 1;
  Interval y{0, high * (1 + network_margin)};
  if (y_scale() == AxisScale::Log10)
    y = padded_range(low < high ? Interval{low, high} : Interval{low / 2, high * 2}, y_scale(),
                     network_margin);
  set_home(progress_axis(data_.x, data_.end), {quantity_, QStringLiteral("ms"), y_scale(), y});
}

void NetworkCurveChart::set_quantity(const QString& quantity) {
  quantity_ = quantity;
  home_changed();
}

void NetworkCurveChart::paint_data(Canvas& canvas, const PlotFrame& frame) {
  std::vector<QPointF> line;
  for (const NetworkCurvePoint& point : data_.points) line.emplace_back(point.x, y_of_seconds(point.seconds));
  std::vector<QPointF> marks;
  for (const QPointF& point : line) marks.push_back(frame.map(point.x(), point.y()));
  if (!line.empty()) line.emplace_back(std::max(line.back().x(), data_.end), line.back().y());
  std::vector<PlotSeries> series;
  for (const ReferenceLine& reference : data_.references)
    series.emplace_back(level_line(frame, y_of_seconds(reference.seconds), {text_ink(), 1, {5, 3}}));
  series.emplace_back(PlotLine{std::move(line), {accent_ink(), 2.5}, 1.25, true});
  paint_series(canvas, frame, series);
  paint_names(canvas, frame);
  if (marks.size() < max_marked_points) {
    canvas.dots(marks, 4, surface_ink());
    canvas.dots(marks, 3, accent_ink());
  }
  paint_confirmed(canvas, frame);
}

void NetworkCurveChart::paint_names(Canvas& canvas, const PlotFrame& frame) const {
  const double above = text_height(style::TextSize::Small) / 2 + 2;
  // Place the name of a reference faster than the network ever was on the side that the curve never reaches.
  const double curve_end =
      data_.points.empty() ? frame.plot.bottom() : frame.map_y(y_of_seconds(data_.points.back().seconds));
  std::vector<DirectLabel> left;
  for (const ReferenceLine& reference : data_.references) {
    const double y = frame.map_y(y_of_seconds(reference.seconds));
    if (!std::isfinite(y)) continue;
    QString text =
        reference.label + QLatin1Char(' ') + style::format_quantity(reference.seconds, QStringLiteral("s"));
    if (y < frame.plot.top()) text = QStringLiteral("↑ ") + text;
    if (y > frame.plot.bottom()) text = QStringLiteral("↓ ") + text;
    const bool beneath = y > curve_end && y + 2 * above < frame.plot.bottom();
    left.push_back({beneath ? y + above : y - above, text, text_ink()});
  }
  paint_direct_labels(canvas, frame.plot.adjusted(12, 0, -4, 0), Qt::AlignLeft, left);
  if (data_.points.empty()) return;
  const double best = data_.points.back().seconds;
  const double y = frame.map_y(y_of_seconds(best));
  if (!(y >= frame.plot.top() - 20 && y <= frame.plot.bottom() + 20)) return;
  paint_direct_labels(canvas, frame.plot.adjusted(4, 0, -4, 0), Qt::AlignRight,
                      {{y - above - 1, tr("best %1").arg(style::format_quantity(best, QStringLiteral("s"))),
                        accent_ink(), true}});
}

/** Paints a diamond at the end of the curve: the repeated measurement, which is more reliable. */
void NetworkCurveChart::paint_confirmed(Canvas& canvas, const PlotFrame& frame) const {
  if (!data_.confirmed_seconds) return;
  const QPointF centre = frame.map(data_.end, y_of_seconds(*data_.confirmed_seconds));
  for (const auto& [radius, ink] : {std::pair{7.0, surface_ink()}, std::pair{5.5, text_ink()}}) {
    const std::array corners{centre + QPointF(0, -radius), centre + QPointF(radius, 0),
                             centre + QPointF(0, radius), centre + QPointF(-radius, 0)};
    canvas.polygon(corners, ink);
  }
}

Readout NetworkCurveChart::readout_of(std::size_t number, const PlotFrame& frame) const {
  const NetworkCurvePoint& point = data_.points[number];
  const QPointF at = frame.map(point.x, y_of_seconds(point.seconds));
  Readout readout{{at.x(), std::clamp(at.y(), frame.plot.top(), frame.plot.bottom())},
                  {},
                  -1,
                  static_cast<std::int64_t>(number)};
  const QString when = data_.x == ProgressX::Trials
                           ? tr("after %1 trials").arg(style::format_count(std::llround(point.x)))
                           : tr("after %1").arg(style::format_duration(point.x));
  readout.lines.append(tr("%1, %2").arg(style::format_quantity(point.seconds, QStringLiteral("s")), when));
  if (!point.cause.isEmpty()) readout.lines.append(point.cause);
  for (const ReferenceLine& reference : data_.references)
    readout.lines.append(tr("%1 of the speed of %2")
                             .arg(style::format_percent(reference.seconds / point.seconds), reference.label));
  return readout;
}

/** Returns the readout of the last point before the mouse: the curve is level up to the next point. */
std::optional<Readout> NetworkCurveChart::readout_at(QPointF position) const {
  const PlotFrame here = frame();
  if (!here.plot.contains(position)) return std::nullopt;
  const double x = here.x_at(position.x() + reach_pixels / 2);
  const auto after = std::ranges::upper_bound(data_.points, x, {}, &NetworkCurvePoint::x);
  if (after == data_.points.begin()) return std::nullopt;
  return readout_of(static_cast<std::size_t>(after - data_.points.begin()) - 1, here);
}

std::optional<Readout> NetworkCurveChart::step_readout(const std::optional<Readout>& from,
                                                       Qt::Key direction) const {
  if (data_.points.empty()) return std::nullopt;
  std::size_t point = data_.points.size() - 1;
  if (from && from->mark >= 0 && from->mark < std::ssize(data_.points)) {
    const bool back = direction == Qt::Key_Left || direction == Qt::Key_Up;
    const auto here = static_cast<std::size_t>(from->mark);
    point = back ? here - std::min<std::size_t>(here, 1) : std::min(here + 1, point);
  }
  return readout_of(point, frame());
}

Table NetworkCurveChart::table() const {
  Table table{{"what", data_.x == ProgressX::Trials ? "trials" : "session time (s)",
               quantity_.toStdString() + " (s)", "cause"},
              {}};
  for (const NetworkCurvePoint& point : data_.points)
    table.rows.push_back({"network", point.x, point.seconds, point.cause.toStdString()});
  for (const ReferenceLine& reference : data_.references)
    table.rows.push_back({reference.label.toStdString(), std::nan(""), reference.seconds, std::string()});
  if (data_.confirmed_seconds)
    table.rows.push_back({"network, confirmed", data_.end, *data_.confirmed_seconds, std::string()});
  return table;
}

QString NetworkCurveChart::summary() const {
  if (data_.points.empty()) return {};
  QStringList parts{
      tr("%1 initially").arg(style::format_quantity(data_.points.front().seconds, QStringLiteral("s"))),
      tr("%1 now").arg(style::format_quantity(data_.points.back().seconds, QStringLiteral("s")))};
  if (data_.confirmed_seconds)
    parts.append(
        tr("%1 confirmed").arg(style::format_quantity(*data_.confirmed_seconds, QStringLiteral("s"))));
  for (const ReferenceLine& reference : data_.references)
    parts.append(
        tr("%1 %2").arg(reference.label, style::format_quantity(reference.seconds, QStringLiteral("s"))));
  return parts.join(QStringLiteral(", "));
}

}  // namespace kernelscape::charts
