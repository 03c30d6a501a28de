#include "ui/charts/canvas.h"

#include <QFontMetricsF>
#include <array>
#include <cmath>
#include <numbers>

#include "ui/charts/clipping.h"

namespace kernelscape::charts {
namespace {

constexpr double hatch_distance = 5;

QFont font_for(style::TextSize size, bool bold) {
  QFont font = style::font_of(size);
  font.setBold(bold);
  return font;
}

/**
 * Draws parallel lines over a rectangle. The grid starts at the origin, so neighbouring areas fit together.
 */
void hatch_lines(Canvas& canvas, const QRectF& rectangle, double x, double y, const Stroke& stroke) {
  // Lines x' = offset, where x' is the coordinate across their direction (x, y).
  const std::array corners = {rectangle.topLeft(), rectangle.topRight(), rectangle.bottomLeft(),
                              rectangle.bottomRight()};
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  for (const QPointF& corner : corners) {
    const double across = corner.x() * y - corner.y() * x;
    low = std::min(low, across);
    high = std::max(high, across);
  }
  const double reach =
      std::hypot(rectangle.center().x(), rectangle.center().y()) + rectangle.width() + rectangle.height();
  for (double offset = (std::floor(low / hatch_distance) + 0.5) * hatch_distance; offset < high;
       offset += hatch_distance) {
    const QPointF foot(offset * y, -offset * x);
    if (const auto part = clip_line(foot - QPointF(x, y) * reach, foot + QPointF(x, y) * reach, rectangle))
      canvas.line(part->first, part->second, stroke);
  }
}

void hatch_dots(Canvas& canvas, const QRectF& rectangle, const Ink& ink) {
  std::vector<QPointF> centres;
  const QRectF inner = rectangle.adjusted(1, 1, -1, -1);
  for (double y = std::ceil(inner.top() / hatch_distance) * hatch_distance; y <= inner.bottom();
       y += hatch_distance)
    for (double x = std::ceil(inner.left() / hatch_distance) * hatch_distance; x <= inner.right();
         x += hatch_distance)
      centres.emplace_back(x, y);
  canvas.dots(centres, 1, ink);
}

void paint_hatch(Canvas& canvas, const QRectF& rectangle, style::Hatch hatch, const Ink& ink) {
  const Stroke stroke{ink, 1, {}};
  const Stroke dashed{ink, 1, {3, 3}};
  constexpr double diagonal = std::numbers::sqrt2 / 2;
  switch (hatch) {
    case style::Hatch::Solid:
      break;
    case style::Hatch::Horizontal:
      hatch_lines(canvas, rectangle, 1, 0, stroke);
      break;
    case style::Hatch::Vertical:
      hatch_lines(canvas, rectangle, 0, 1, stroke);
      break;
    case style::Hatch::Diagonal:
      hatch_lines(canvas, rectangle, diagonal, -diagonal, stroke);
      break;
    case style::Hatch::BackDiagonal:
      hatch_lines(canvas, rectangle, diagonal, diagonal, stroke);
      break;
    case style::Hatch::Cross:
      hatch_lines(canvas, rectangle, 1, 0, stroke);
      hatch_lines(canvas, rectangle, 0, 1, stroke);
      break;
    case style::Hatch::DiagonalCross:
      hatch_lines(canvas, rectangle, diagonal, -diagonal, stroke);
      hatch_lines(canvas, rectangle, diagonal, diagonal, stroke);
      break;
    case style::Hatch::Dots:
      hatch_dots(canvas, rectangle, ink);
      break;
    case style::Hatch::Dashes:
      hatch_lines(canvas, rectangle, 1, 0, dashed);
      break;
  }
}

}  // namespace

void Canvas::rect(const QRectF& rectangle, const Fill& fill) {
  rect(rectangle, fill.ink);
  if (std::isfinite(rectangle.width()) && rectangle.width() < 1e5 && rectangle.height() < 1e5)
    paint_hatch(*this, rectangle, fill.hatch, fill.hatch_ink);
}

void Canvas::outline(const QRectF& rectangle, const Stroke& stroke) {
  const std::array corners = {rectangle.topLeft(), rectangle.topRight(), rectangle.bottomRight(),
                              rectangle.bottomLeft(), rectangle.topLeft()};
  polyline(corners, stroke);
}

void Canvas::ring(QPointF centre, double radius, const Stroke& stroke) {
  constexpr std::size_t corners = 32;
  std::array<QPointF, corners + 1> points;
  for (std::size_t index = 0; index <= corners; ++index) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(index % corners) / corners;
    points[index] = centre + QPointF(std::cos(angle), std::sin(angle)) * radius;
  }
  polyline(points, stroke);
}

double text_width(const QString& text, style::TextSize size, bool bold) {
  return QFontMetricsF(font_for(size, bold)).horizontalAdvance(text);
}

double text_height(style::TextSize size) { return QFontMetricsF(style::font_of(size)).height(); }

QString elided(const QString& text, style::TextSize size, double width, bool bold) {
  return QFontMetricsF(font_for(size, bold)).elidedText(text, Qt::ElideRight, std::max(0.0, width));
}

QStringList wrapped(const QString& text, style::TextSize size, double width) {
  QStringList lines;
  for (const QString& paragraph : text.split(QLatin1Char('\n'))) {
    QString line;
    for (const QString& word : paragraph.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
      const QString longer = line.isEmpty() ? word : line + QLatin1Char(' ') + word;
      if (!line.isEmpty() && text_width(longer, size) > width) {
        lines.append(line);
        line = word;
      } else {
        line = longer;
      }
    }
    lines.append(line);
  }
  return lines;
}

Ink surface_ink() { return {"surface", style::colours().surface}; }
Ink text_ink() { return {"text", style::colours().text}; }
Ink muted_ink() { return {"muted", style::colours().muted_text}; }
Ink hairline_ink() { return {"hairline", style::colours().hairline}; }
Ink grid_ink() { return {"grid", style::colours().grid}; }
Ink accent_ink() { return {"accent", style::colours().accent}; }
Ink marked_ink() { return {"marked", style::colours().marked}; }
Ink warning_ink() { return {"warning", style::colours().warning}; }

Ink category_ink(trial::ErrorCategory category) {
  return {"category-" + std::to_string(static_cast<int>(category)), style::colours().of(category).colour};
}

Fill category_fill(trial::ErrorCategory category) {
  return {category_ink(category), style::colours().of(category).hatch, surface_ink()};
}

Ink arm_ink(std::size_t index) {
  if (index >= style::arm_style_count) return {"arm-other", style::colours().other_arm.colour};
  return {"arm-" + std::to_string(index), style::colours().arm(index).colour};
}

Stroke arm_stroke(std::size_t index, double width) {
  return {arm_ink(index), width, style::colours().arm(index).dashes};
}

}  // namespace kernelscape::charts
