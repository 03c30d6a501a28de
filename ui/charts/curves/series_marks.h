#pragma once

#include <vector>

#include "ui/charts/xy_chart.h"

namespace kernelscape::charts {

/** A value that holds until the next one, as a line of steps. Only its changes are stored. */
class StepLine {
 public:
  /** Removes all steps. */
  void clear();
  /** Adds a value, in the axes' values. Ascending x is fastest; values that are not finite are ignored. */
  void append(double x, double value);
  /**
   * Returns the visible steps as points of a PlotLine with `stair`. Where y cannot show a value, the line
   * keeps its previous value.
   */
  std::vector<QPointF> points(const PlotFrame& frame) const;

 private:
  std::vector<QPointF> steps_;
  double end_ = 0;  ///< x of the last value
  bool ascending_ = true;
};

/**
 * The uncertainty of values: a faint bar around each. Where bars would overlap, one bar from the mean of
 * their lower ends to the mean of their upper ends is painted.
 */
class UncertaintyBand {
 public:
  /** Removes all bars. */
  void clear();
  /** Adds a bar at x between two values of y, in the axes' values. Ascending x is fastest. */
  void append(double x, double low, double high);
  /**
   * Paints the bars. If x ascends, only the visible part is read.
   * @param canvas clipped to the plot
   */
  void paint(Canvas& canvas, const PlotFrame& frame, const Ink& ink) const;

 private:
  std::vector<double> x_;
  std::vector<double> low_;
  std::vector<double> high_;
  bool ascending_ = true;
};

}  // namespace kernelscape::charts
