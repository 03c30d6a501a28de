#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "ui/charts/plot_frame.h"

namespace kernelscape::charts {

// The content of a plot, in the values of its axes.

/**
 * A line that joins points in their order. A point that is not finite, or that a logarithmic axis cannot
 * show, makes a gap.
 */
struct PlotLine {
  std::vector<QPointF> points;
  Stroke stroke;
  double halo = 0;     ///< width of the band in the surface's colour on either side, which hides what lies
                       ///< below; logical pixels
  bool stair = false;  ///< the line stays level up to the next point
};

/**
 * The area between two edges over the same x. A point that is not finite, or that a logarithmic x axis cannot
 * show, makes a gap; a y that its axis cannot show is drawn at the axis' low end.
 */
struct PlotArea {
  std::vector<QPointF> upper;
  std::vector<QPointF> lower;  ///< same number of points as `upper`
  Ink ink;
};

/**
 * A rectangle: a bar, a part of a bar, or a bin of a histogram. It is at least one pixel wide and high,
 * measured from the low ends; if an interval is empty or not finite, nothing is drawn. Values that a
 * logarithmic axis cannot show are drawn at its low end.
 */
struct PlotBar {
  Interval x;
  Interval y;
  Fill fill;
};

using PlotSeries = std::variant<PlotLine, PlotArea, PlotBar>;

/** Returns a horizontal line across the plot at a y value. */
PlotLine level_line(const PlotFrame& frame, double y, const Stroke& stroke);

/** A box plot, five numbers at a place on the x axis. */
struct PlotBox {
  double x = 0;      ///< centre of the box
  double width = 1;  ///< width of the box, in the axis' values
  double minimum = 0;
  double first_quartile = 0;
  double median = 0;
  double third_quartile = 0;
  double maximum = 0;
  Fill fill = {};
  Stroke outline = {};        ///< stroke of the box and its whiskers
  Stroke median_stroke = {};  ///< stroke of the line across the box
};

/**
 * Appends the series of a box: a bar from quartile to quartile, its outline, whiskers with their ends, and
 * the median.
 */
void add_box(std::vector<PlotSeries>& series, const PlotBox& box);

/** Returns the edge of an area that stays level up to the next point. */
std::vector<QPointF> stair(std::span<const QPointF> points);

/** Returns a vertical axis without visible ticks for rows of equal height, the first one at the top. */
Axis row_axis(std::size_t rows);
/** Returns the position of a row on `row_axis`. @param share of the row's height that a bar takes, centred */
Interval row_interval(std::size_t row, double share = 1);

/**
 * Draws lines, areas and bars with Qt Charts. No other code uses Qt Charts.
 *
 * A chart keeps one QtPlot for its whole life, since making Qt's objects costs more than passing them new
 * points. Each series is passed to Qt at once and with at most two points for a column of device pixels (four
 * for stairs, and for a line with an end far outside of the plot). The output of Qt Charts becomes calls of
 * the canvas, so pictures, SVG, hatches and themes work as everywhere else.
 */
class QtPlot {
 public:
  QtPlot();
  ~QtPlot();
  QtPlot(const QtPlot&) = delete;
  QtPlot& operator=(const QtPlot&) = delete;

  /**
   * Paints the series in their order, clipped to the frame's plot. It is cheapest if the number of series of
   * each kind is unchanged since the last call. A gap costs as much as a series.
   */
  void paint(Canvas& canvas, const PlotFrame& frame, std::span<const PlotSeries> series);

 private:
  class Scene;
  std::unique_ptr<Scene> scene_;  ///< null until something is painted: many charts have no series
};

}  // namespace kernelscape::charts
