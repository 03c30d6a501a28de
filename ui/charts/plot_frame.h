#pragma once

#include <vector>

#include "ui/charts/axis.h"
#include "ui/charts/canvas.h"

namespace kernelscape::charts {

inline constexpr double tick_length = 4;  ///< length of a labelled tick beyond the plot, in pixels

/** The geometry of a chart with axes, and the axes as they are shown. */
struct PlotFrame {
  QRectF plot;
  Axis x;
  Axis y;
  std::vector<QRectF> lanes;  ///< top first
  QRectF strip = {};          ///< below the lanes, over the same x axis; empty: none
  double head = 0;            ///< pixels between the line of the axis' title and the plot, for text

  /**
   * Returns the position of a point in the widget's pixels; NaN for values that a logarithmic axis cannot
   * show.
   */
  QPointF map(double x_value, double y_value) const { return {map_x(x_value), map_y(y_value)}; }
  /**
   * Returns the x position of a value in the widget's pixels; outside of the plot for values out of range.
   */
  double map_x(double value) const { return plot.left() + x.fraction(value) * plot.width(); }
  /** Returns the y position of a value in the widget's pixels; y grows upwards, pixels downwards. */
  double map_y(double value) const { return plot.bottom() - y.fraction(value) * plot.height(); }
  /** Returns the x value at a pixel: the inverse of `map_x`. */
  double x_at(double pixel) const { return x.value_at((pixel - plot.left()) / plot.width()); }
  /** Returns the y value at a pixel: the inverse of `map_y`. */
  double y_at(double pixel) const { return y.value_at((plot.bottom() - pixel) / plot.height()); }
};

/**
 * Returns as many ticks as fit, with their labels, on a horizontal axis. @param width of the axis in pixels
 */
std::vector<Tick> x_ticks(const Axis& axis, double width);
/** Returns the ticks of a vertical axis. @param height of the axis in pixels */
std::vector<Tick> y_ticks(const Axis& axis, double height);

// The frame around the data is painted here, since Qt Charts cannot draw it as required: its axes put ticks
// at equal distances or between categories, cut labels that it considers too long and drop those at the
// ends.

/** Paints the vertical lines of the grid at the labelled ticks of x. */
void paint_x_grid(Canvas& canvas, const PlotFrame& frame);
/** Paints the horizontal lines of the grid. @param height of the axis, as for `y_ticks` */
void paint_y_grid(Canvas& canvas, const PlotFrame& frame, double height);
/**
 * Paints the axis below the plot and its lanes: line, ticks, labels and the title. @param right maximum x of
 * the labels
 */
void paint_x_axis(Canvas& canvas, const PlotFrame& frame, double right);
/**
 * Paints the axis left of the plot and its lanes: line, ticks and labels. The title stands above, from the
 * left end of `area`. @param area of the plot and the axes
 */
void paint_y_axis(Canvas& canvas, const PlotFrame& frame, const QRectF& area);

}  // namespace kernelscape::charts
