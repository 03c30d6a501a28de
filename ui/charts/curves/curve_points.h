#pragma once

#include <QPointF>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace kernelscape::charts {

/** A point of one of a chart's curves. */
struct CurvePoint {
  std::size_t curve = 0;
  std::size_t point = 0;

  bool operator==(const CurvePoint&) const = default;
};

/** The points of a chart's curves, each curve ascending by x: where readouts are, and where arrow keys lead.
 */
class CurvePoints {
 public:
  /** @param curves any range of curves that have `points`; they outlive this object */
  explicit CurvePoints(const auto& curves) {
    for (const auto& curve : curves) curves_.emplace_back(curve.points);
  }

  /** Returns the number of a point, which a readout keeps as its mark. */
  static std::int64_t mark_of(CurvePoint point);
  /** Returns the point of a mark; nullopt: there is none. */
  std::optional<CurvePoint> with_mark(std::int64_t mark) const;
  /** Returns the first curve that has points; nullopt: none has. */
  std::optional<std::size_t> first_curve() const;

  /**
   * Returns the point nearest to a position: nearest in x, in whole pixels, and of these nearest in y.
   * nullopt: there are no points.
   * @param place maps a point to pixels; a y that is not finite is farther than any other
   */
  std::optional<CurvePoint> nearest(QPointF position, const std::function<QPointF(QPointF)>& place) const;
  /**
   * Returns the point that an arrow key leads to: left and right along the curve, up and down to the next
   * curve that has a point at this x. It is the same point if there is no other.
   */
  CurvePoint step(CurvePoint from, Qt::Key direction) const;

 private:
  std::vector<std::span<const QPointF>> curves_;
};

}  // namespace kernelscape::charts
