#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "ui/charts/plot_frame.h"

namespace kernelscape {

// What a plot shows, in the values of its axes.

/** Points joined in their order. One that is not finite, or that a logarithmic axis cannot show, is a gap. */
struct PlotLine {
  std::vector<QPointF> points;
  Stroke stroke;
  double halo = 0;     ///< logical pixels of the surface's colour on either side, over what lies below
  bool stair = false;  ///< stays level up to the next point
};

/** What lies between two edges over the same x. A point that is not finite, or that a logarithmic x axis
 * cannot show, is a gap; a y that its axis cannot show lies at its low end. */
struct PlotArea {
  std::vector<QPointF> upper;
  std::vector<QPointF> lower;  ///< as many
  Ink ink;
};

/** A rectangle: a bar, a part of one, or a bin of a histogram. It is at least a pixel wide and high, from the
 * low ends on, unless an interval is empty or not finite: then there is none. What a logarithmic axis cannot
 * show lies at its low end. */
struct PlotBar {
  Interval x;
  Interval y;
  Fill fill;
};

using PlotSeries = std::variant<PlotLine, PlotArea, PlotBar>;

/** A line across the plot at a y. */
PlotLine level_line(const PlotFrame& frame, double y, const Stroke& stroke);

/** Five numbers over a place on the x axis. */
struct PlotBox {
  double x = 0;      ///< the middle
  double width = 1;  ///< of the box, in the axis' values
  double minimum = 0;
  double first_quartile = 0;
  double median = 0;
  double third_quartile = 0;
  double maximum = 0;
  Fill fill = {};
  Stroke outline = {};        ///< of the box and its whiskers
  Stroke median_stroke = {};  ///< of the line across the box
};

/** Appends a box: a bar from quartile to quartile, its outline, whiskers with their ends, and the median. */
void add_box(std::vector<PlotSeries>& series, const PlotBox& box);

/** The edge of an area that stays level up to the next point. */
std::vector<QPointF> stair(std::span<const QPointF> points);

/** An upright axis without ticks to show: rows of equal height, the first one at the top. */
Axis row_axis(std::size_t rows);
/** Where a row stands on that axis. @param share of its height that a bar takes, in its middle */
Interval row_interval(std::size_t row, double share = 1);

/**
 * Draws lines, areas and bars with Qt Charts: the only place that knows of it.
 *
 * A chart keeps one for as long as it lives, since making Qt's objects costs more than handing them new
 * points. Each series is given to Qt at once and with at most two points for a column of device pixels (four
 * of stairs, and where a line comes from far or goes far on); what Qt Charts paints becomes calls of the
 * canvas, so pictures, SVG, hatches and themes are as everywhere.
 */
class QtPlot {
 public:
  QtPlot();
  ~QtPlot();
  QtPlot(const QtPlot&) = delete;
  QtPlot& operator=(const QtPlot&) = delete;

  /** Paints the series in their order, clipped to the frame's plot. As many of each kind as the last time are
   * the cheapest. A gap costs as much as a series. */
  void paint(Canvas& canvas, const PlotFrame& frame, std::span<const PlotSeries> series);

 private:
  class Scene;
  std::unique_ptr<Scene> scene_;  ///< none before something is painted: many charts have no series
};

}  // namespace kernelscape
