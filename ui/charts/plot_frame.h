#pragma once

#include <vector>

#include "ui/charts/axis.h"
#include "ui/charts/canvas.h"

namespace kernelscape {

inline constexpr double tick_length = 4;  ///< pixels that a labelled tick reaches beyond the plot

/** Where a chart with axes paints, with the axes as they are shown. */
struct PlotFrame {
  QRectF plot;
  Axis x;
  Axis y;
  std::vector<QRectF> lanes;  ///< top first
  double head = 0;            ///< pixels between the line of the axis' title and the plot, for words

  /** To the widget's pixels; NaN for what a logarithmic axis cannot show. */
  QPointF map(double x_value, double y_value) const { return {map_x(x_value), map_y(y_value)}; }
  /** Along x alone; outside of the plot for values out of range. */
  double map_x(double value) const { return plot.left() + x.fraction(value) * plot.width(); }
  /** Along y alone; y grows upwards, pixels downwards. */
  double map_y(double value) const { return plot.bottom() - y.fraction(value) * plot.height(); }
  /** The inverse of `map_x`. */
  double x_at(double pixel) const { return x.value_at((pixel - plot.left()) / plot.width()); }
  /** The inverse of `map_y`. */
  double y_at(double pixel) const { return y.value_at((plot.bottom() - pixel) / plot.height()); }
};

/** Ticks of a level axis so many pixels long: as many as fit beside each other with their labels. */
std::vector<Tick> x_ticks(const Axis& axis, double width);
/** Ticks of an upright axis so many pixels high. */
std::vector<Tick> y_ticks(const Axis& axis, double height);

// What stands around the data: what Qt Charts cannot draw as it has to look. Its axes put ticks at equal
// distances or between categories, cut labels that it finds too long and leave out those at the ends.

/** Upright lines of the grid, at the labelled ticks of x. */
void paint_x_grid(Canvas& canvas, const PlotFrame& frame);
/** Level lines of the grid. @param height of the axis, as for `y_ticks` */
void paint_y_grid(Canvas& canvas, const PlotFrame& frame, double height);
/** The axis below the plot and its lanes: line, ticks, labels and the title. @param right where labels end at
 * the latest. */
void paint_x_axis(Canvas& canvas, const PlotFrame& frame, double right);
/** The axis left of the plot and its lanes: line, ticks and labels; the title stands above, from `area`'s
 * left on. @param area what the chart has for plot and axes */
void paint_y_axis(Canvas& canvas, const PlotFrame& frame, const QRectF& area);

}  // namespace kernelscape
