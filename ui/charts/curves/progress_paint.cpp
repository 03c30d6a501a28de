#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/curves/machine_strip.h"
#include "ui/charts/curves/progress_axis.h"
#include "ui/charts/curves/progress_chart.h"
#include "ui/charts/legend_line.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr std::size_t max_dotted_marks = 200;
constexpr double whisker_end = 4;    // half the length of a line at an end of an interval
constexpr double line_margin = 3;    // around the curve, so that its dots stay free of labels
constexpr double faint_opacity = 1;  // opacity of a hairline, for trials that do not pass the filters

void paint_diamond(Canvas& canvas, QPointF centre, double radius, const Ink& ink) {
  const std::array corners = {centre + QPointF(0, -radius), centre + QPointF(radius, 0),
                              centre + QPointF(0, radius), centre + QPointF(-radius, 0)};
  canvas.polygon(corners, ink);
}

/** Paints two strokes across the lower end of an axis that does not start at zero. */
void paint_axis_break(Canvas& canvas, const PlotFrame& frame) {
  const double x = frame.plot.left();
  const double y = frame.plot.bottom() - 8;
  canvas.line({x, y - 2}, {x, y + 2}, {surface_ink(), 3, {}});
  for (const double offset : {-2.0, 2.0})
    canvas.line({x - 5, y + offset + 2}, {x + 5, y + offset - 2}, {text_ink(), 1.5, {}});
}

}  // namespace

std::vector<QPointF> ProgressChart::curve(const std::vector<analysis::ImprovementPoint>& points,
                                          double end) const {
  std::vector<QPointF> improvements;
  for (const analysis::ImprovementPoint& point : points)
    improvements.emplace_back(x_of(point), y_of(point.median_seconds));
  if (!points.empty())
    improvements.emplace_back(std::max(improvements.back().x(), end), improvements.back().y());
  return improvements;
}

double ProgressChart::end_of(const GhostCurve& ghost) const {
  return x_kind_ == ProgressX::Trials ? ghost.trials : ghost.session_seconds;
}

void ProgressChart::paint_data(Canvas& canvas, const PlotFrame& frame) {
  faint_points_.paint(canvas, frame, hairline_ink(), interacting(), faint_opacity);
  points_.paint(canvas, frame, accent_ink(), interacting());
  slow_points_.paint(canvas, frame, slow_worker_ink(), interacting());
  paint_interruptions(canvas, frame, data_.trials, data_.interruption_seconds, x_kind_);
  selected_points_.paint(canvas, frame, marked_ink(), interacting(), selected_opacity);
  std::vector<PlotSeries> series;
  for (const GhostCurve& ghost : data_.ghosts)
    series.emplace_back(
        PlotLine{curve(ghost.improvements, end_of(ghost)), arm_stroke(ghost.arm, 1.5), 0, true});
  series.emplace_back(PlotLine{curve(data_.improvements, x_end()), {accent_ink(), 2.5}, 1.25, true});
  for (const ReferenceLine& reference : data_.references)
    series.emplace_back(level_line(frame, y_of(reference.seconds), {text_ink(), 1, {5, 3}}));
  paint_series(canvas, frame, series);
  LabelObstacles obstacles = label_obstacles(frame);
  label_curves(canvas, frame, obstacles);
  label_references(canvas, frame, obstacles);
  paint_improvements(canvas, frame);
  paint_confirmed(canvas, frame);
}

/** Returns the curves, the reference lines and the confirmed result with its interval: no label covers them.
 */
LabelObstacles ProgressChart::label_obstacles(const PlotFrame& frame) const {
  LabelObstacles obstacles(frame.plot);
  const auto add_curve = [&](const std::vector<analysis::ImprovementPoint>& points, double end,
                             double margin) {
    std::vector<QPointF> pixels;
    for (const QPointF& point : curve(points, end)) pixels.push_back(frame.map(point.x(), point.y()));
    obstacles.add_steps(pixels, margin);
  };
  add_curve(data_.improvements, x_end(), line_margin);
  for (const GhostCurve& ghost : data_.ghosts) add_curve(ghost.improvements, end_of(ghost), 1);
  for (const ReferenceLine& reference : data_.references) {
    const double y = frame.map_y(y_of(reference.seconds));
    obstacles.add_steps(std::array{QPointF(frame.plot.left(), y), QPointF(frame.plot.right(), y)}, 0.5);
  }
  if (const std::optional<QPointF> confirmed = confirmed_position(frame))
    obstacles.add(QRectF(*confirmed - QPointF(7, 7), QSizeF(14, 14)));
  if (const QRectF whisker = confirmed_whisker(frame); !whisker.isNull())
    obstacles.add(whisker.adjusted(-1, -1, 1, 1));
  return obstacles;
}

void ProgressChart::label_references(Canvas& canvas, const PlotFrame& frame,
                                     LabelObstacles& obstacles) const {
  std::vector<DirectLabel> labels;
  for (const ReferenceLine& reference : data_.references) {
    const double value = y_of(reference.seconds);
    const double y = frame.map_y(value);
    if (!std::isfinite(y)) continue;
    QString text = reference.label + QLatin1Char(' ') + style::format_quantity(value, frame.y.unit);
    if (y < frame.plot.top()) text = QStringLiteral("↑ ") + text;
    if (y > frame.plot.bottom()) text = QStringLiteral("↓ ") + text;
    labels.push_back({y - text_height(style::TextSize::Small) / 2 - 1, text, text_ink()});
  }
  // Leave room for the first trial, which stands at the axis.
  paint_free_labels(canvas, frame.plot.adjusted(12, 0, -4, 0), Qt::AlignLeft, labels, obstacles);
}

/** Paints dots as long as they can be distinguished; no label may hide a dot. */
void ProgressChart::paint_improvements(Canvas& canvas, const PlotFrame& frame) const {
  std::vector<QPointF> marks;
  for (const analysis::ImprovementPoint& point : data_.improvements)
    marks.push_back(frame.map(x_of(point), y_of(point.median_seconds)));
  if (marks.size() >= max_dotted_marks) return;
  canvas.dots(marks, 4, surface_ink());
  canvas.dots(marks, 3, accent_ink());
}

/** Paints names at the ends of the curves. */
void ProgressChart::label_curves(Canvas& canvas, const PlotFrame& frame, LabelObstacles& obstacles) const {
  std::vector<DirectLabel> labels;
  for (const GhostCurve& ghost : data_.ghosts) {
    if (ghost.improvements.empty()) continue;
    const analysis::ImprovementPoint& last = ghost.improvements.back();
    const double right = frame.map_x(std::max(x_of(last), end_of(ghost)));
    labels.push_back(
        {frame.map_y(y_of(last.median_seconds)), ghost.label, arm_ink(ghost.arm), false, right + 4});
  }
  if (!data_.improvements.empty()) {
    const bool known = data_.best.seconds > 0;
    const double best = y_of(known ? data_.best.seconds : data_.improvements.back().median_seconds);
    QString text = tr("best %1").arg(style::format_quantity(best, frame.y.unit));
    if (known) text += QStringLiteral(", ") + data_.best.mark;
    // On the side of its line where the curve never comes: faster is up, shorter is down.
    const double offset = text_height(style::TextSize::Small) / 2 + line_margin;
    labels.insert(labels.begin(), {frame.map_y(best) + (y() == ProgressY::Gflops ? -offset : offset), text,
                                   accent_ink(), true});
  }
  std::erase_if(labels, [&](const DirectLabel& label) {
    return !(label.y >= frame.plot.top() - 20 && label.y <= frame.plot.bottom() + 20);
  });
  paint_free_labels(canvas, frame.plot.adjusted(4, 0, -4, 0), Qt::AlignRight, labels, obstacles);
}

std::optional<QPointF> ProgressChart::confirmed_position(const PlotFrame& frame) const {
  if (!data_.confirmed || data_.confirmed->row < 0 || data_.confirmed->row >= data_.trials.size())
    return std::nullopt;
  const ConfirmedBest& best = *data_.confirmed;
  return frame.map(x_of(data_.trials.row(best.row), best.row), y_of(best.median_seconds));
}

QRectF ProgressChart::confirmed_whisker(const PlotFrame& frame) const {
  const std::optional<QPointF> centre = confirmed_position(frame);
  if (!centre) return {};
  const double low = frame.map_y(y_of(data_.confirmed->first_quartile_seconds));
  const double high = frame.map_y(y_of(data_.confirmed->third_quartile_seconds));
  if (!std::isfinite(low) || !std::isfinite(high)) return {};
  return QRectF(QPointF(centre->x() - whisker_end, low), QPointF(centre->x() + whisker_end, high))
      .normalized();
}

void ProgressChart::paint_confirmed(Canvas& canvas, const PlotFrame& frame) const {
  const std::optional<QPointF> centre = confirmed_position(frame);
  if (!centre) return;
  if (const QRectF whisker = confirmed_whisker(frame); !whisker.isNull()) {
    const Stroke stroke{text_ink(), 1.5, {}};
    canvas.line({centre->x(), whisker.top()}, {centre->x(), whisker.bottom()}, stroke);
    canvas.line(whisker.topLeft(), whisker.topRight(), stroke);
    canvas.line(whisker.bottomLeft(), whisker.bottomRight(), stroke);
  }
  paint_diamond(canvas, *centre, 7, surface_ink());
  paint_diamond(canvas, *centre, 5.5, text_ink());
}

void ProgressChart::paint_around(Canvas& canvas, const PlotFrame& frame) {
  failures_.paint(canvas, frame, x_kind_);
  if (frame.y.scale == AxisScale::Linear && frame.y.range.low > 0) paint_axis_break(canvas, frame);
  std::vector<LegendEntry> entries;
  if (auto entry = left_out_entry(frame)) entries.push_back(std::move(*entry));
  if (slow_points_.size() > 0) entries.push_back({tr("worker slower than usual"), slow_worker_ink()});
  paint_legend(canvas, frame, std::move(entries));
}

/** Returns what the axis leaves out, unless it starts at zero and shows all trials. */
std::optional<LegendEntry> ProgressChart::left_out_entry(const PlotFrame& frame) const {
  QStringList parts;
  if (frame.y.scale == AxisScale::Linear && frame.y.range.low > 0) parts << tr("axis not from 0");
  const double slow = y() == ProgressY::Gflops ? frame.y.range.low : frame.y.range.high;
  const std::int64_t slower = y() == ProgressY::Gflops ? points_.count_below(scaled(slow, y_scale()))
                                                       : points_.count_above(scaled(slow, y_scale()));
  if (at_home() && slower > 0) parts << tr("%1 slower trials outside").arg(style::format_count(slower));
  if (parts.isEmpty()) return std::nullopt;
  return LegendEntry{parts.join(QStringLiteral(", ")), muted_ink(), LegendMark::LevelBar};
}

void ProgressChart::paint_strip(Canvas& canvas, const PlotFrame& frame) {
  paint_machine_strip(canvas, frame, strip_plot_, data_.trials, x_kind_);
}

void ProgressChart::paint_plot_overlay(Canvas& canvas, const PlotFrame&) {
  const auto position = position_of(current_row());
  if (position) paint_current(canvas, *position);
}

}  // namespace kernelscape::charts
