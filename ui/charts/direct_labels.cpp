#include "ui/charts/direct_labels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kernelscape::charts {

std::vector<double> spread_labels(const std::vector<double>& heights, double label_height, double top,
                                  double bottom) {
  std::vector<std::size_t> order(heights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t index) { return heights[index]; });
  std::vector<double> placed(heights);
  double next = top + label_height / 2;
  for (const std::size_t index : order) {
    placed[index] = std::max(heights[index], next);
    next = placed[index] + label_height;
  }
  // Move labels that were pushed beyond the bottom up again, together with those above them.
  double limit = bottom - label_height / 2;
  for (auto index = order.rbegin(); index != order.rend(); ++index) {
    placed[*index] = std::min(placed[*index], limit);
    limit = placed[*index] - label_height;
  }
  return placed;
}

namespace {

/** Returns the place of a label at a height; its text is elided to the width of the area. */
QRectF label_place(const DirectLabel& label, const QString& text, double y, const QRectF& area, bool right) {
  const double height = text_height(style::TextSize::Small);
  const double width = text_width(text, style::TextSize::Small, label.bold) + 6;
  const double border = right ? area.right() - width : area.left();
  const double x = right ? std::min(std::max(label.left, area.left()), border) : border;
  return {x, y - height / 2, width, height};
}

QString label_text(const DirectLabel& label, const QRectF& area) {
  return elided(label.text, style::TextSize::Small, area.width() - 8, label.bold);
}

void paint_label(Canvas& canvas, const QRectF& place, const DirectLabel& label, const QString& text) {
  Ink ground = surface_ink();
  ground.role = "label-ground";
  ground.colour.setAlphaF(0.82F);
  canvas.rect(place, ground);
  canvas.text({place.left() + 3, place.center().y()}, text, {.ink = label.ink, .bold = label.bold});
}

/** Returns the first free place above and below a place, or the place itself. */
QRectF free_above_or_below(const QRectF& wanted, const QRectF& area, const LabelObstacles& obstacles) {
  constexpr double step = 2;
  for (double distance = 0; distance <= area.height(); distance += step) {
    for (const double sign : {-1.0, 1.0}) {
      const QRectF place = wanted.translated(0, sign * distance);
      if (place.top() < area.top() || place.bottom() > area.bottom()) continue;
      if (!obstacles.hit_by(place)) return place;
    }
  }
  return wanted;
}

/** Returns the first free place along a line, then above and below it, or the place itself. */
QRectF free_along(const QRectF& wanted, const QRectF& area, const LabelObstacles& obstacles) {
  constexpr double step = 12;
  for (const double below : {0.0, wanted.height() + 2}) {
    for (QRectF place = wanted.translated(0, below); place.right() <= area.right(); place.translate(step, 0))
      if (place.bottom() <= area.bottom() && !obstacles.hit_by(place)) return place;
  }
  return free_above_or_below(wanted, area, obstacles);
}

}  // namespace

void LabelObstacles::add(const QRectF& area) {
  const QRectF inside = area & plot_;
  if (!inside.isEmpty()) areas_.push_back(inside);
}

void LabelObstacles::add_steps(std::span<const QPointF> points, double margin) {
  const auto finite = [](const QPointF& point) {
    return std::isfinite(point.x()) && std::isfinite(point.y());
  };
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (!finite(points[i - 1]) || !finite(points[i])) continue;
    const QPointF corner(points[i].x(), points[i - 1].y());
    for (const QRectF& part : {QRectF(points[i - 1], corner), QRectF(corner, points[i])})
      add(part.normalized().adjusted(-margin, -margin, margin, margin));
  }
}

bool LabelObstacles::hit_by(const QRectF& area) const {
  return std::ranges::any_of(areas_, [&](const QRectF& obstacle) { return obstacle.intersects(area); });
}

void paint_free_labels(Canvas& canvas, const QRectF& area, Qt::Alignment side,
                       const std::vector<DirectLabel>& labels, LabelObstacles& obstacles) {
  const bool right = side & Qt::AlignRight;
  const double half = text_height(style::TextSize::Small) / 2;
  for (const DirectLabel& label : labels) {
    const QString text = label_text(label, area);
    const double y = std::max(std::min(label.y, area.bottom() - half), area.top() + half);
    const QRectF wanted = label_place(label, text, y, area, right);
    const QRectF place =
        right ? free_above_or_below(wanted, area, obstacles) : free_along(wanted, area, obstacles);
    paint_label(canvas, place, label, text);
    obstacles.add(place);
  }
}

void paint_direct_labels(Canvas& canvas, const QRectF& area, Qt::Alignment side,
                         const std::vector<DirectLabel>& labels) {
  const double height = text_height(style::TextSize::Small);
  std::vector<double> heights;
  for (const DirectLabel& label : labels) heights.push_back(label.y);
  const std::vector<double> placed = spread_labels(heights, height, area.top(), area.bottom());
  for (std::size_t index = 0; index < labels.size(); ++index) {
    const QString text = label_text(labels[index], area);
    paint_label(canvas, label_place(labels[index], text, placed[index], area, (side & Qt::AlignRight) != 0),
                labels[index], text);
  }
}

}  // namespace kernelscape::charts
