#pragma once

#include <vector>

#include "ui/charts/landscape/performance_scale.h"
#include "ui/charts/landscape/variable_plane_chart.h"

namespace kernelscape::charts {

/** Paints the points, the feasible values and the bounds of two variables in a plot, with the legends. */
class VariablePlanePainter {
 public:
  /** Makes a painter; data and frame outlive it. */
  VariablePlanePainter(const VariablePlaneData& data, const PlotFrame& frame);

  /** Paints the data; the canvas is clipped to the plot. */
  void paint(Canvas& canvas) const;
  /** Paints the scale of the colours and the legend above the plot. */
  void paint_legend(Canvas& canvas) const;
  /** Returns the radius of a point's dot, which grows with the number of its trials. */
  static double radius_of(const VariablePoint& point);

 private:
  /** A rectangle of the shading. */
  struct Cell {
    QRectF where;
    bool within_limits = true;
  };

  std::vector<Cell> region_cells() const;
  void paint_region(Canvas& canvas) const;
  void paint_bound(Canvas& canvas, const analysis::VariableBound& bound) const;
  void paint_points(Canvas& canvas) const;
  double paint_scale(Canvas& canvas) const;

  const VariablePlaneData& data_;
  const PlotFrame& frame_;
  PerformanceScale scale_;
};

}  // namespace kernelscape::charts
