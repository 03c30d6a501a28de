#include "ui/charts/landscape/parallel_layout.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/canvas.h"

namespace kernelscape::charts {
namespace {

constexpr double widest_distance = 400;

}  // namespace

ParallelLayout::ParallelLayout(const analysis::ParallelCoordinates& coordinates, const QRectF& area)
    : all(coordinates) {
  const double line = text_height(style::TextSize::Small);
  const auto axes = static_cast<double>(std::max<std::size_t>(2, all.axes.size()));
  // Titles are centred on their axes: the outermost titles need half a distance of room.
  const double step = std::min(widest_distance, area.width() / axes);
  left = area.left() + (area.width() - step * (axes - 1)) / 2;
  right = left + step * (axes - 1);
  title_y = area.top() + line / 2 + 2;
  top = std::round(area.top() + line + 10);
  const bool any_missing = std::ranges::any_of(
      all.axes, [](const analysis::ParallelAxis& axis) { return axis.counts[axis.missing()] > 0; });
  missing_y = std::round(area.bottom() - 2 * line);
  bottom = any_missing ? missing_y - line - 2 : area.bottom() - line - 8;
}

double ParallelLayout::distance() const {
  const std::size_t gaps = std::max<std::size_t>(2, all.axes.size()) - 1;
  return (right - left) / static_cast<double>(gaps);
}

double ParallelLayout::x(std::size_t axis) const {
  return std::round(left + distance() * static_cast<double>(axis));
}

double ParallelLayout::place_height(std::size_t axis) const {
  return (bottom - top) / static_cast<double>(std::max<std::size_t>(1, all.axes[axis].bins.count()));
}

QPointF ParallelLayout::place(std::size_t axis, std::size_t place) const {
  if (place == all.axes[axis].missing()) return {x(axis), missing_y};
  return {x(axis), bottom - place_height(axis) * (static_cast<double>(place) + 0.5)};
}

}  // namespace kernelscape::charts
