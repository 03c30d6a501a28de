#pragma once

#include "ui/charts/landscape/parallel_chart.h"

namespace kernelscape {

/** Where the axes of a parallel chart stand. */
struct ParallelChart::Layout {
  Layout(const ParallelCoordinates& coordinates, const QRectF& area);

  const ParallelCoordinates& all;
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;
  double missing_y = 0;  ///< where rows without a value meet, below the axes
  double title_y = 0;

  double x(std::size_t axis) const;             ///< pixels, whole
  double distance() const;                      ///< between neighbouring axes
  double place_height(std::size_t axis) const;  ///< pixels of each of the axis' bins
  /** Middle of a bin, the first at the bottom; the last place is for rows without a value. */
  QPointF place(std::size_t axis, std::size_t place) const;
  double title_room() const { return distance() - 8; }     ///< pixels, at most
  double label_room() const { return distance() * 0.45; }  ///< pixels, at most
};

}  // namespace kernelscape
