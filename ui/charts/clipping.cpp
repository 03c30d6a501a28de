#include "ui/charts/clipping.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kernelscape::charts {
namespace {

bool finite(QPointF point) { return std::isfinite(point.x()) && std::isfinite(point.y()); }

/** Clamps a point to the rectangle exactly, whatever rounding did. */
QPointF inside(QPointF point, const QRectF& rectangle) {
  return {std::clamp(point.x(), rectangle.left(), rectangle.right()),
          std::clamp(point.y(), rectangle.top(), rectangle.bottom())};
}

/** One border of a rectangle; `distance` is positive inside. */
struct Border {
  double a;
  double b;
  double c;

  double distance(QPointF point) const { return a * point.x() + b * point.y() + c; }
};

std::array<Border, 4> borders_of(const QRectF& rectangle) {
  return {Border{1, 0, -rectangle.left()}, Border{-1, 0, rectangle.right()}, Border{0, 1, -rectangle.top()},
          Border{0, -1, rectangle.bottom()}};
}

std::vector<QPointF> clip_to_border(const std::vector<QPointF>& points, const Border& border) {
  std::vector<QPointF> kept;
  for (std::size_t index = 0; index < points.size(); ++index) {
    const QPointF current = points[index];
    const QPointF next = points[(index + 1) % points.size()];
    const double here = border.distance(current);
    const double there = border.distance(next);
    if (here >= 0) kept.push_back(current);
    if ((here >= 0) != (there >= 0)) kept.push_back(current + (next - current) * (here / (here - there)));
  }
  return kept;
}

}  // namespace

bool holds(const QRectF& rectangle, QPointF point) {
  return point.x() >= rectangle.left() && point.x() <= rectangle.right() && point.y() >= rectangle.top() &&
         point.y() <= rectangle.bottom();
}

std::optional<std::pair<QPointF, QPointF>> clip_line(QPointF from, QPointF to, const QRectF& rectangle) {
  if (!finite(from) || !finite(to) || !rectangle.isValid()) return std::nullopt;
  double enter = 0;
  double leave = 1;
  for (const Border& border : borders_of(rectangle)) {
    const double start = border.distance(from);
    const double end = border.distance(to);
    if (start < 0 && end < 0) return std::nullopt;
    if (start < 0) enter = std::max(enter, start / (start - end));
    if (end < 0) leave = std::min(leave, start / (start - end));
  }
  if (enter > leave) return std::nullopt;
  const QPointF step = to - from;
  return std::pair{inside(from + step * enter, rectangle), inside(from + step * leave, rectangle)};
}

std::vector<std::vector<QPointF>> clip_polyline(std::span<const QPointF> points, const QRectF& rectangle) {
  std::vector<std::vector<QPointF>> pieces;
  bool connected = false;
  for (std::size_t index = 0; index + 1 < points.size(); ++index) {
    const auto part = clip_line(points[index], points[index + 1], rectangle);
    if (!part) {
      connected = false;
      continue;
    }
    if (!connected || pieces.back().back() != part->first) pieces.push_back({part->first});
    pieces.back().push_back(part->second);
    connected = true;
  }
  return pieces;
}

std::vector<QPointF> clip_polygon(std::span<const QPointF> points, const QRectF& rectangle) {
  std::vector<QPointF> kept;
  if (!rectangle.isValid()) return kept;
  std::ranges::copy_if(points, std::back_inserter(kept), finite);
  for (const Border& border : borders_of(rectangle)) kept = clip_to_border(kept, border);
  for (QPointF& point : kept) point = inside(point, rectangle);
  return kept;
}

}  // namespace kernelscape::charts
