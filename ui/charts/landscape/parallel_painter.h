#pragma once

#include <QImage>
#include <vector>

#include "ui/charts/landscape/parallel_chart.h"
#include "ui/charts/landscape/parallel_layout.h"
#include "ui/charts/landscape/performance_scale.h"

namespace kernelscape::charts {

/** Paints axes, lines or bands, and the legend of parallel coordinates in an area. */
class ParallelPainter {
 public:
  /** Makes a painter of data with at least one axis; they outlive it. */
  ParallelPainter(const ParallelData& data, const QRectF& area);

  /** Paints the chart without its brushes. */
  void paint(Canvas& canvas) const;
  /** Paints the brush of an axis over the chart. */
  void paint_brush(Canvas& canvas, std::size_t axis, const Brush& brush) const;

 private:
  QImage bands_image(double pixel_ratio) const;
  void paint_axis(Canvas& canvas, std::size_t axis) const;
  void paint_legend(Canvas& canvas) const;
  PerformanceScale performance_scale() const;
  std::vector<double> coloured_values() const;
  bool any_selected() const;

  const ParallelData& data_;
  QRectF area_;
  ParallelLayout layout_;
};

}  // namespace kernelscape::charts
