#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "ui/charts/landscape/heat_map_chart.h"
#include "ui/charts/landscape/performance_scale.h"

namespace kernelscape::charts {

/** The geometry of a heat map. */
struct HeatMapChart::Layout {
  QRectF plot;
  QRectF legend;
  double key_y = 0;
  double cell_width = 1;
  double cell_height = 1;

  /**
   * Returns the rectangle of a cell by its bins, y upwards, without the gap of one pixel between large cells.
   */
  QRectF cell(std::size_t x, std::size_t y) const {
    // Round to whole pixels, so that neighbours leave no seam.
    const double left = std::round(plot.left() + static_cast<double>(x) * cell_width);
    const double right = std::round(plot.left() + static_cast<double>(x + 1) * cell_width);
    const double bottom = std::round(plot.bottom() - static_cast<double>(y) * cell_height);
    const double top = std::round(plot.bottom() - static_cast<double>(y + 1) * cell_height);
    const double gap = std::min(right - left, bottom - top) > 6 ? 1 : 0;
    return {QPointF(left, top), QPointF(right - gap, bottom - gap)};
  }
};

/** The meaning of the colours: performances by rank, shares and counts linearly between the ends. */
struct HeatMapChart::Range {
  PerformanceScale performance;  ///< empty: the values are shares or counts
  double low = 0;
  double high = 1;
  /** Returns 0 at the low end and 1 at the high end, not clamped; 1 if both ends are equal. */
  double fraction(double value) const { return high > low ? (value - low) / (high - low) : 1; }
};

/** The meaning of a mark in the cells. */
struct HeatMapChart::KeyEntry {
  QString text;
  std::function<void(Canvas& canvas, const QRectF& where)> paint;
};

}  // namespace kernelscape::charts
