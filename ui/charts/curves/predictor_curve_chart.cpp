#include "ui/charts/curves/predictor_curve_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/direct_labels.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double curve_headroom = 1.05;
constexpr double curve_dot_radius = 3;
/** A line with more points than this has no dots. */
constexpr std::size_t max_dots = 40;

Stroke curve_stroke(const PredictorCurve& curve) {
  Stroke stroke = arm_stroke(curve.predictor);
  switch (curve.kind) {
    case PredictorCurveKind::HeldOut:
      stroke.dashes.clear();
      return stroke;
    case PredictorCurveKind::Training:
      stroke.width = 1;
      stroke.dashes = {4, 3};
      return stroke;
    case PredictorCurveKind::Random:
      return {muted_ink(), 2, {1, 2}};
  }
  return stroke;
}

}  // namespace

PredictorCurveChart::PredictorCurveChart(QWidget* parent) : XyChart(parent) { set_data({}); }

void PredictorCurveChart::set_data(PredictorCurveData data) {
  const bool same = data.quantity == data_.quantity;
  data_ = std::move(data);
  // Regret can be 0 and tau negative: a logarithmic axis can show neither.
  set_y_scales(data_.quantity == PredictorQuantity::Loss ? std::vector{AxisScale::Linear, AxisScale::Log10}
                                                         : std::vector{AxisScale::Linear});
  if (data_.quantity != PredictorQuantity::Loss && y_scale() != AxisScale::Linear)
    set_y_scale(AxisScale::Linear);
  home_changed();
  if (!same) reset_view();
  refresh_readout();
}

double PredictorCurveChart::y_factor() const {
  return data_.quantity == PredictorQuantity::Regret ? percent : 1;
}

void PredictorCurveChart::home_changed() {
  const bool regret = data_.quantity == PredictorQuantity::Regret;
  Interval x{1, regret ? 64.0 : 10.0};
  Interval y{HUGE_VAL, -HUGE_VAL};
  for (const PredictorCurve& curve : data_.curves)
    for (const QPointF& point : curve.points) {
      x.high = std::max(x.high, point.x());
      const double value = point.y() * y_factor();
      if (!std::isfinite(value) || (y_scale() == AxisScale::Log10 && !(value > 0))) continue;
      y = {std::min(y.low, value), std::max(y.high, value)};
    }
  if (!(y.low <= y.high)) y = {y_scale() == AxisScale::Log10 ? 0.1 : 0, 1};
  if (data_.quantity == PredictorQuantity::Tau) {
    y = {std::min(0.0, y.low), 1};
  } else if (y_scale() == AxisScale::Linear) {
    y = {0, y.high * curve_headroom};
  } else {
    y = {y.low / curve_headroom, y.high * curve_headroom};
  }
  const QString title = regret                                     ? tr("regret")
                        : data_.quantity == PredictorQuantity::Tau ? tr("Kendall's tau")
                                                                   : tr("loss");
  set_home(
      {regret ? tr("measurements") : tr("epoch"), QString(), regret ? AxisScale::Log2 : AxisScale::Linear, x},
      {title, regret ? QStringLiteral("%") : QString(), y_scale(), y});
}

QPointF PredictorCurveChart::place(const PlotFrame& frame, QPointF point) const {
  return frame.map(point.x(), point.y() * y_factor());
}

void PredictorCurveChart::paint_data(Canvas& canvas, const PlotFrame& frame) {
  std::vector<PlotSeries> series;
  for (const PredictorCurve& curve : data_.curves) {
    PlotLine line{curve.points, curve_stroke(curve)};
    for (QPointF& point : line.points) point.ry() *= y_factor();
    series.emplace_back(std::move(line));
  }
  paint_series(canvas, frame, series);
  for (const PredictorCurve& curve : data_.curves) paint_marks(canvas, frame, curve);
  paint_names(canvas, frame);
}

/** Paints dots if there are few points, and a ring around the marked point. */
void PredictorCurveChart::paint_marks(Canvas& canvas, const PlotFrame& frame,
                                      const PredictorCurve& curve) const {
  std::vector<QPointF> places;
  for (const QPointF& point : curve.points) places.push_back(place(frame, point));
  const Ink ink = curve_stroke(curve).ink;
  if (places.size() <= max_dots) canvas.dots(places, curve_dot_radius, ink);
  if (!curve.marked_x) return;
  const auto marked = std::ranges::find(curve.points, *curve.marked_x, &QPointF::x);
  if (marked == curve.points.end()) return;
  canvas.ring(place(frame, *marked), 6, {surface_ink(), 4, {}});
  canvas.ring(place(frame, *marked), 6, {ink, 2, {}});
}

void PredictorCurveChart::paint_names(Canvas& canvas, const PlotFrame& frame) const {
  std::vector<DirectLabel> labels;
  for (const PredictorCurve& curve : data_.curves) {
    const auto after = std::ranges::upper_bound(curve.points, frame.x.range.high, {}, &QPointF::x);
    if (after == curve.points.begin()) continue;
    const double y = place(frame, *std::prev(after)).y();
    if (!(y >= frame.plot.top() - 1 && y <= frame.plot.bottom() + 1)) continue;
    labels.push_back({y - text_height(style::TextSize::Small), curve.name, curve_stroke(curve).ink});
  }
  paint_direct_labels(canvas, frame.plot.adjusted(4, 0, -4, 0), Qt::AlignRight, labels);
}

QString PredictorCurveChart::value_text(const PredictorCurve& curve, std::size_t point) const {
  const double value = curve.points[point].y();
  const QString text = data_.quantity == PredictorQuantity::Regret ? style::format_percent(value)
                                                                   : style::format_number(value, 3);
  return tr("%1  %2").arg(curve.name, std::isfinite(value) ? text : style::no_number());
}

Readout PredictorCurveChart::readout_of(CurvePoint point, const PlotFrame& frame) const {
  const QPointF& at = data_.curves[point.curve].points[point.point];
  const QPointF position = place(frame, at);
  Readout readout{{position.x(), std::isfinite(position.y())
                                     ? std::clamp(position.y(), frame.plot.top(), frame.plot.bottom())
                                     : frame.plot.bottom()},
                  {},
                  -1,
                  CurvePoints::mark_of(point)};
  const QString count = style::format_count(std::llround(at.x()));
  readout.lines.append(
      data_.quantity == PredictorQuantity::Regret
          ? (at.x() == 1 ? tr("after 1 measurement") : tr("after %1 measurements").arg(count))
          : tr("epoch %1").arg(count));
  for (const PredictorCurve& other : data_.curves) {
    const auto found = std::ranges::find(other.points, at.x(), &QPointF::x);
    if (found == other.points.end()) continue;
    QString text = value_text(other, static_cast<std::size_t>(found - other.points.begin()));
    if (other.marked_x == at.x()) text += tr("  (the predictor's weights)");
    readout.lines.append(text);
  }
  return readout;
}

std::optional<Readout> PredictorCurveChart::readout_at(QPointF position) const {
  const PlotFrame here = frame();
  if (!here.plot.contains(position)) return std::nullopt;
  const auto nearest =
      CurvePoints(data_.curves).nearest(position, [&](QPointF point) { return place(here, point); });
  return nearest ? std::optional(readout_of(*nearest, here)) : std::nullopt;
}

std::optional<Readout> PredictorCurveChart::step_readout(const std::optional<Readout>& from,
                                                         Qt::Key direction) const {
  const CurvePoints points(data_.curves);
  if (from && from->mark >= 0) {
    const std::optional<CurvePoint> point = points.with_mark(from->mark);
    return point ? std::optional(readout_of(points.step(*point, direction), frame())) : std::nullopt;
  }
  const std::optional<std::size_t> first = points.first_curve();
  if (!first) return std::nullopt;
  return readout_of({*first, data_.curves[*first].points.size() - 1}, frame());
}

QString PredictorCurveChart::summary() const {
  QStringList parts;
  for (const PredictorCurve& curve : data_.curves)
    if (!curve.points.empty()) parts.append(value_text(curve, curve.points.size() - 1));
  return parts.isEmpty() ? tr("nothing yet") : parts.join(QStringLiteral(", "));
}

Table PredictorCurveChart::table() const {
  const bool regret = data_.quantity == PredictorQuantity::Regret;
  Table table{{"curve", regret ? "measurements" : "epoch",
               regret                                     ? "regret (%)"
               : data_.quantity == PredictorQuantity::Tau ? "Kendall's tau"
                                                          : "loss"},
              {}};
  for (const PredictorCurve& curve : data_.curves)
    for (const QPointF& point : curve.points)
      table.rows.push_back({curve.name.toStdString(), point.x(), point.y() * y_factor()});
  return table;
}

QString PredictorCurveChart::explanation() const {
  switch (data_.quantity) {
    case PredictorQuantity::Loss:
      return tr(
          "The mean squared error of the predictor's label, the standardised speed, after each epoch: solid "
          "on the validation tasks, dashed on the training tasks. If only the dashed curve continues to "
          "fall, the predictor overfits its training tasks. A ring marks the epoch whose weights were kept.");
    case PredictorQuantity::Tau:
      return tr(
          "How well the predictor orders the samples of tasks that are not in its training set, as the "
          "median over the validation tasks: Kendall's tau-b is 1 if every pair is in the correct order and "
          "0 if the order is no better than random. Training ends when it stops rising; a ring marks the "
          "epoch whose weights were kept.");
    case PredictorQuantity::Regret:
      return tr(
          "Regret: how far the best of this number of measurements is behind the best known one, if the "
          "predictor chooses them, and its expectation if they are drawn at random. Candidates are the "
          "samples of the task only (One-Shot Tuner, section 6: one round of 64).");
  }
  return {};
}

}  // namespace kernelscape::charts
