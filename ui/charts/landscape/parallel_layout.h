#pragma once

#include <QPointF>
#include <QRectF>

#include "core/analysis/landscape/parallel_coordinates.h"

namespace kernelscape::charts {

/** The geometry of a parallel chart. */
struct ParallelLayout {
  ParallelLayout(const analysis::ParallelCoordinates& coordinates, const QRectF& area);

  const analysis::ParallelCoordinates& all;
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;
  double missing_y = 0;  ///< height for rows without a value, below the axes
  double title_y = 0;

  double x(std::size_t axis) const;             ///< Returns the x of an axis in whole pixels
  double distance() const;                      ///< Returns the distance between neighbouring axes
  double place_height(std::size_t axis) const;  ///< Returns the height of each of the axis' bins in pixels
  /** Returns the centre of a bin, the first at the bottom; the last place is for rows without a value. */
  QPointF place(std::size_t axis, std::size_t place) const;
  double title_room() const { return distance() - 8; }     ///< Returns the maximum width of a title in pixels
  double label_room() const { return distance() * 0.45; }  ///< Returns the maximum width of a label in pixels
};

}  // namespace kernelscape::charts
