#pragma once

#include <QPointF>
#include <QRectF>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kernelscape::charts {

/**
 * Returns true if a rectangle contains a point, borders included; false for a point that is not finite
 * (QRectF::contains accepts NaN).
 */
bool holds(const QRectF& rectangle, QPointF point);

/**
 * Returns the part of a line inside a rectangle (Liang and Barsky 1984), or nullopt if the line does not
 * cross the rectangle or an end is not finite.
 */
std::optional<std::pair<QPointF, QPointF>> clip_line(QPointF from, QPointF to, const QRectF& rectangle);

/** Returns the pieces of a polyline inside a rectangle; a point that is not finite ends a piece. */
std::vector<std::vector<QPointF>> clip_polyline(std::span<const QPointF> points, const QRectF& rectangle);

/**
 * Returns the part of a polygon inside a rectangle (Sutherland and Hodgman 1974); points that are not finite
 * are ignored.
 */
std::vector<QPointF> clip_polygon(std::span<const QPointF> points, const QRectF& rectangle);

}  // namespace kernelscape::charts
