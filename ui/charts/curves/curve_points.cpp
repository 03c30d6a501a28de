#include "ui/charts/curves/curve_points.h"

#include <algorithm>
#include <cmath>

namespace kernelscape::charts {
namespace {

/** Factor of the curve's number in a mark; the point's number is added. */
constexpr std::int64_t marks_of_a_curve = std::int64_t{1} << 32;

}  // namespace

std::int64_t CurvePoints::mark_of(CurvePoint point) {
  return static_cast<std::int64_t>(point.curve) * marks_of_a_curve + static_cast<std::int64_t>(point.point);
}

std::optional<CurvePoint> CurvePoints::with_mark(std::int64_t mark) const {
  if (mark < 0) return std::nullopt;
  const CurvePoint point{static_cast<std::size_t>(mark / marks_of_a_curve),
                         static_cast<std::size_t>(mark % marks_of_a_curve)};
  const bool exists = point.curve < curves_.size() && point.point < curves_[point.curve].size();
  return exists ? std::optional(point) : std::nullopt;
}

std::optional<std::size_t> CurvePoints::first_curve() const {
  const auto first = std::ranges::find_if(curves_, [](const auto& points) { return !points.empty(); });
  if (first == curves_.end()) return std::nullopt;
  return static_cast<std::size_t>(first - curves_.begin());
}

std::optional<CurvePoint> CurvePoints::nearest(QPointF position,
                                               const std::function<QPointF(QPointF)>& place) const {
  std::optional<CurvePoint> nearest;
  std::pair<double, double> least;
  for (std::size_t curve = 0; curve < curves_.size(); ++curve) {
    for (std::size_t point = 0; point < curves_[curve].size(); ++point) {
      const QPointF at = place(curves_[curve][point]);
      const std::pair distance{std::round(std::abs(at.x() - position.x())),
                               std::isfinite(at.y()) ? std::abs(at.y() - position.y()) : HUGE_VAL};
      if (nearest && distance >= least) continue;
      least = distance;
      nearest = {curve, point};
    }
  }
  return nearest;
}

CurvePoint CurvePoints::step(CurvePoint from, Qt::Key direction) const {
  const std::span<const QPointF> points = curves_[from.curve];
  if (direction == Qt::Key_Left) return {from.curve, from.point == 0 ? 0 : from.point - 1};
  if (direction == Qt::Key_Right) return {from.curve, std::min(from.point + 1, points.size() - 1)};
  const std::ptrdiff_t way = direction == Qt::Key_Up ? -1 : 1;
  for (auto other = static_cast<std::ptrdiff_t>(from.curve) + way; other >= 0 && other < std::ssize(curves_);
       other += way) {
    const auto curve = static_cast<std::size_t>(other);
    const auto same = std::ranges::find(curves_[curve], points[from.point].x(), &QPointF::x);
    if (same != curves_[curve].end()) return {curve, static_cast<std::size_t>(same - curves_[curve].begin())};
  }
  return from;
}

}  // namespace kernelscape::charts
