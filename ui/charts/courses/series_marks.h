#pragma once

#include <vector>

#include "ui/charts/xy_chart.h"

namespace kernelscape {

/** A value that holds until the next one, as a line of steps; only its changes are kept. */
class StepLine {
 public:
  /** Forgets all steps. */
  void clear();
  /** In the axes' values, fastest with ascending x; what is not finite is left out. */
  void append(double x, double value);
  /** The steps in sight, of a PlotLine that is a stair: where y cannot show a value it stays where it was. */
  std::vector<QPointF> points(const PlotFrame& frame) const;

 private:
  std::vector<QPointF> steps_;
  double end_ = 0;  ///< x of the last value
  bool ascending_ = true;
};

/**
 * How far values are uncertain: a faint bar around each. Where they stand closer than a bar is wide, one bar
 * from the mean of their lower ends to the mean of their upper ends.
 */
class UncertaintyBand {
 public:
  /** Forgets all bars. */
  void clear();
  /** A bar at x between two values of y, in the axes' values; fastest with ascending x. */
  void append(double x, double low, double high);
  /**
   * Where x ascends, only what is in sight is looked at.
   * @param canvas clipped to the plot
   */
  void paint(Canvas& canvas, const PlotFrame& frame, const Ink& ink) const;

 private:
  std::vector<double> x_;
  std::vector<double> low_;
  std::vector<double> high_;
  bool ascending_ = true;
};

}  // namespace kernelscape
