#include "ui/charts/curves/progress_painter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/curves/progress_axis.h"
#include "ui/charts/curves/progress_chart.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr std::size_t max_dotted_marks = 200;
constexpr double whisker_end = 4;  // half the length of a line at an end of an interval
constexpr double line_margin = 3;  // around the curve, so that its dots stay free of labels

void paint_diamond(Canvas& canvas, QPointF centre, double radius, const Ink& ink) {
  const std::array corners = {centre + QPointF(0, -radius), centre + QPointF(radius, 0),
                              centre + QPointF(0, radius), centre + QPointF(-radius, 0)};
  canvas.polygon(corners, ink);
}

}  // namespace

ProgressPainter::ProgressPainter(const ProgressData& data, const ProgressScale& scale, const PlotFrame& frame)
    : data_(data),
      scale_(scale),
      frame_(frame),
      end_(progress_end(data.trials, data.session_seconds, scale.x_kind)) {}

std::vector<PlotSeries> ProgressPainter::series() const {
  std::vector<PlotSeries> series;
  for (const GhostCurve& ghost : data_.ghosts)
    series.emplace_back(
        PlotLine{curve(ghost.improvements, scale_.end_of(ghost)), arm_stroke(ghost.arm, 1.5), 0, true});
  series.emplace_back(PlotLine{curve(data_.improvements, end_), {accent_ink(), 2.5}, 1.25, true});
  for (const ReferenceLine& reference : data_.references)
    series.emplace_back(level_line(frame_, scale_.y_of(reference.seconds), {text_ink(), 1, {5, 3}}));
  return series;
}

void ProgressPainter::paint_marks(Canvas& canvas) const {
  LabelObstacles obstacles = label_obstacles();
  label_curves(canvas, obstacles);
  label_references(canvas, obstacles);
  paint_improvements(canvas);
  paint_confirmed(canvas);
}

std::vector<QPointF> ProgressPainter::curve(const std::vector<analysis::ImprovementPoint>& points,
                                            double end) const {
  std::vector<QPointF> improvements;
  for (const analysis::ImprovementPoint& point : points)
    improvements.emplace_back(scale_.x_of(point), scale_.y_of(point.median_seconds));
  if (!points.empty())
    improvements.emplace_back(std::max(improvements.back().x(), end), improvements.back().y());
  return improvements;
}

/** Returns the curves, the reference lines and the confirmed result with its interval: no label covers them.
 */
LabelObstacles ProgressPainter::label_obstacles() const {
  LabelObstacles obstacles(frame_.plot);
  const auto add_curve = [&](const std::vector<analysis::ImprovementPoint>& points, double end,
                             double margin) {
    std::vector<QPointF> pixels;
    for (const QPointF& point : curve(points, end)) pixels.push_back(frame_.map(point.x(), point.y()));
    obstacles.add_steps(pixels, margin);
  };
  add_curve(data_.improvements, end_, line_margin);
  for (const GhostCurve& ghost : data_.ghosts) add_curve(ghost.improvements, scale_.end_of(ghost), 1);
  for (const ReferenceLine& reference : data_.references) {
    const double y = frame_.map_y(scale_.y_of(reference.seconds));
    obstacles.add_steps(std::array{QPointF(frame_.plot.left(), y), QPointF(frame_.plot.right(), y)}, 0.5);
  }
  if (const std::optional<QPointF> confirmed = confirmed_position())
    obstacles.add(QRectF(*confirmed - QPointF(7, 7), QSizeF(14, 14)));
  if (const QRectF whisker = confirmed_whisker(); !whisker.isNull())
    obstacles.add(whisker.adjusted(-1, -1, 1, 1));
  return obstacles;
}

void ProgressPainter::label_references(Canvas& canvas, LabelObstacles& obstacles) const {
  std::vector<DirectLabel> labels;
  for (const ReferenceLine& reference : data_.references) {
    const double value = scale_.y_of(reference.seconds);
    const double y = frame_.map_y(value);
    if (!std::isfinite(y)) continue;
    QString text = reference.label + QLatin1Char(' ') + style::format_quantity(value, frame_.y.unit);
    if (y < frame_.plot.top()) text = QStringLiteral("↑ ") + text;
    if (y > frame_.plot.bottom()) text = QStringLiteral("↓ ") + text;
    labels.push_back({y - text_height(style::TextSize::Small) / 2 - 1, text, text_ink()});
  }
  // Leave room for the first trial, which stands at the axis.
  paint_free_labels(canvas, frame_.plot.adjusted(12, 0, -4, 0), Qt::AlignLeft, labels, obstacles);
}

/** Paints dots as long as they can be distinguished; no label may hide a dot. */
void ProgressPainter::paint_improvements(Canvas& canvas) const {
  std::vector<QPointF> marks;
  for (const analysis::ImprovementPoint& point : data_.improvements)
    marks.push_back(frame_.map(scale_.x_of(point), scale_.y_of(point.median_seconds)));
  if (marks.size() >= max_dotted_marks) return;
  canvas.dots(marks, 4, surface_ink());
  canvas.dots(marks, 3, accent_ink());
}

/** Paints names at the ends of the curves. */
void ProgressPainter::label_curves(Canvas& canvas, LabelObstacles& obstacles) const {
  std::vector<DirectLabel> labels;
  for (const GhostCurve& ghost : data_.ghosts) {
    if (ghost.improvements.empty()) continue;
    const analysis::ImprovementPoint& last = ghost.improvements.back();
    const double right = frame_.map_x(std::max(scale_.x_of(last), scale_.end_of(ghost)));
    labels.push_back(
        {frame_.map_y(scale_.y_of(last.median_seconds)), ghost.label, arm_ink(ghost.arm), false, right + 4});
  }
  if (!data_.improvements.empty()) {
    const bool known = data_.best.seconds > 0;
    const double best = scale_.y_of(known ? data_.best.seconds : data_.improvements.back().median_seconds);
    QString text = ProgressChart::tr("best %1").arg(style::format_quantity(best, frame_.y.unit));
    if (known) text += QStringLiteral(", ") + data_.best.mark;
    // On the side of its line where the curve never comes: faster is up, shorter is down.
    const double offset = text_height(style::TextSize::Small) / 2 + line_margin;
    labels.insert(labels.begin(),
                  {frame_.map_y(best) + (scale_.y_kind == ProgressY::Gflops ? -offset : offset), text,
                   accent_ink(), true});
  }
  std::erase_if(labels, [&](const DirectLabel& label) {
    return !(label.y >= frame_.plot.top() - 20 && label.y <= frame_.plot.bottom() + 20);
  });
  paint_free_labels(canvas, frame_.plot.adjusted(4, 0, -4, 0), Qt::AlignRight, labels, obstacles);
}

std::optional<QPointF> ProgressPainter::confirmed_position() const {
  if (!data_.confirmed || data_.confirmed->row < 0 || data_.confirmed->row >= data_.trials.size())
    return std::nullopt;
  const ConfirmedBest& best = *data_.confirmed;
  return frame_.map(scale_.x_of(data_.trials.row(best.row), best.row), scale_.y_of(best.median_seconds));
}

QRectF ProgressPainter::confirmed_whisker() const {
  const std::optional<QPointF> centre = confirmed_position();
  if (!centre) return {};
  const double low = frame_.map_y(scale_.y_of(data_.confirmed->first_quartile_seconds));
  const double high = frame_.map_y(scale_.y_of(data_.confirmed->third_quartile_seconds));
  if (!std::isfinite(low) || !std::isfinite(high)) return {};
  return QRectF(QPointF(centre->x() - whisker_end, low), QPointF(centre->x() + whisker_end, high))
      .normalized();
}

void ProgressPainter::paint_confirmed(Canvas& canvas) const {
  const std::optional<QPointF> centre = confirmed_position();
  if (!centre) return;
  if (const QRectF whisker = confirmed_whisker(); !whisker.isNull()) {
    const Stroke stroke{text_ink(), 1.5, {}};
    canvas.line({centre->x(), whisker.top()}, {centre->x(), whisker.bottom()}, stroke);
    canvas.line(whisker.topLeft(), whisker.topRight(), stroke);
    canvas.line(whisker.bottomLeft(), whisker.bottomRight(), stroke);
  }
  paint_diamond(canvas, *centre, 7, surface_ink());
  paint_diamond(canvas, *centre, 5.5, text_ink());
}

}  // namespace kernelscape::charts
