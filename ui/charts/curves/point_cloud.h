#pragma once

#include <cstdint>
#include <vector>

#include "ui/charts/canvas.h"
#include "ui/charts/xy_chart.h"

namespace kernelscape::charts {

/**
 * Minimum opacity of single dots in the accent: contrast 3:1 to the chart's background in both themes, and
 * overlapping dots can be distinguished.
 */
inline constexpr double min_dot_opacity = 0.72;

/**
 * Many points of a scatter chart, stored as lengths along the axes' scales (`scaled`). A few visible points
 * are painted as dots. Where dots would cover each other, a density image with cells of two pixels is painted
 * instead. The counts of a view are cached: a repaint costs nothing, a new point O(1), a new view one pass
 * over the visible points.
 */
class PointCloud {
 public:
  /** Removes all points and the counts of the view. */
  void clear();
  /** Adds a point. @param x, y lengths along the scales; a point with NaN is never visible */
  void append(double x, double y, std::uint32_t row);
  /** Returns the number of points, including those outside of the view. */
  std::size_t size() const { return x_.size(); }
  /** Returns the number of points with a smaller y, as a length along the scale. */
  std::int64_t count_below(double y) const;
  /** Returns the number of points with a greater y, as a length along the scale. */
  std::int64_t count_above(double y) const;

  /**
   * Paints the visible points.
   * @param canvas clipped to the plot
   * @param dot_opacity of single dots, so that overlapping dots can be distinguished
   * @param coarse counts only a sample if there are very many points
   */
  void paint(Canvas& canvas, const PlotFrame& frame, const Ink& ink, bool coarse,
             double dot_opacity = min_dot_opacity);

  /** Returns the row nearest to a point of the widget, at most `reach` pixels away; -1: none. */
  std::int64_t nearest(const PlotFrame& frame, QPointF position, double reach) const;

  /** Returns the rows inside a rectangle of the widget, in the order in which they were appended. */
  std::vector<qint64> rows_in(const PlotFrame& frame, const QRectF& rectangle) const;

 private:
  /** The mapping from lengths along the scales to pixels from the plot's top left corner. */
  struct Mapping {
    double x_origin = 0;
    double x_factor = 1;
    double y_origin = 0;
    double y_factor = 1;

    double x(double length) const { return (length - x_origin) * x_factor; }
    double y(double length) const { return (length - y_origin) * y_factor; }
    bool operator==(const Mapping&) const = default;
  };
  /** The view for which the counts were made. */
  struct View {
    Mapping mapping;
    QSize cells;
    std::size_t stride = 1;

    bool operator==(const View&) const = default;
  };

  static Mapping mapping_of(const PlotFrame& frame);
  std::pair<std::size_t, std::size_t> in_sight(const Mapping& mapping, double left, double right) const;
  void count(const View& view, double width);
  void paint_dots(Canvas& canvas, const PlotFrame& frame, const Ink& ink, double opacity) const;
  QImage density_image(const QColor& colour) const;

  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<std::uint32_t> rows_;
  bool ascending_ = true;

  View view_;
  std::vector<std::uint32_t> counts_;
  std::uint32_t largest_count_ = 0;
  std::size_t counted_ = 0;  ///< number of points in the counts
  std::size_t visible_ = 0;
};

}  // namespace kernelscape::charts
