#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "ui/charts/landscape/heat_map_chart.h"
#include "ui/charts/landscape/performance_scale.h"

namespace kernelscape {

/** Where a heat map paints. */
struct HeatMapChart::Layout {
  QRectF plot;
  QRectF legend;
  double key_y = 0;
  double cell_width = 1;
  double cell_height = 1;

  /** A cell by its bins, y upwards; without the gap of a pixel that large cells leave. */
  QRectF cell(std::size_t x, std::size_t y) const {
    // On whole pixels, so that neighbours leave no seam.
    const double left = std::round(plot.left() + static_cast<double>(x) * cell_width);
    const double right = std::round(plot.left() + static_cast<double>(x + 1) * cell_width);
    const double bottom = std::round(plot.bottom() - static_cast<double>(y) * cell_height);
    const double top = std::round(plot.bottom() - static_cast<double>(y + 1) * cell_height);
    const double gap = std::min(right - left, bottom - top) > 6 ? 1 : 0;
    return {QPointF(left, top), QPointF(right - gap, bottom - gap)};
  }
};

/** What the colours stand for: performances by rank, shares and counts from one end to the other. */
struct HeatMapChart::Range {
  PerformanceScale performance;  ///< empty: shares or counts
  double low = 0;
  double high = 1;
  /** 0 at the low end, 1 at the high one, not clamped; 1 where both are the same. */
  double fraction(double value) const { return high > low ? (value - low) / (high - low) : 1; }
};

/** What a mark in the cells means. */
struct HeatMapChart::KeyEntry {
  QString text;
  std::function<void(Canvas& canvas, const QRectF& where)> paint;
};

}  // namespace kernelscape
