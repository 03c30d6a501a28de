#pragma once

#include <QPointF>
#include <QRectF>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kernelscape {

/** Whether a rectangle holds a point, borders included; never one that is not finite (QRectF::contains lets
 * NaN in). */
bool holds(const QRectF& rectangle, QPointF point);

/** The part of a line inside a rectangle (Liang and Barsky 1984); none where they do not meet or an end is
 * not finite. */
std::optional<std::pair<QPointF, QPointF>> clip_line(QPointF from, QPointF to, const QRectF& rectangle);

/** The pieces of a polyline inside a rectangle; a point that is not finite ends a piece. */
std::vector<std::vector<QPointF>> clip_polyline(std::span<const QPointF> points, const QRectF& rectangle);

/** A polygon's part inside a rectangle (Sutherland and Hodgman 1974); points that are not finite are left
 * out. */
std::vector<QPointF> clip_polygon(std::span<const QPointF> points, const QRectF& rectangle);

}  // namespace kernelscape
