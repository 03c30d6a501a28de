#pragma once

#include <functional>
#include <optional>

#include "ui/charts/landscape/heat_map_chart.h"
#include "ui/charts/landscape/performance_scale.h"

namespace kernelscape::charts {

/** Places and paints the cells of a heat map in an area, with labels, the legend of the colours and a key. */
class HeatMapPainter {
 public:
  /** Makes a painter of data with at least one cell; they outlive it. */
  HeatMapPainter(const HeatMapData& data, const QRectF& area);

  /** Paints the heat map. */
  void paint(Canvas& canvas) const;
  /** Returns the rectangle of a cell, without the gap of one pixel between large cells. */
  QRectF place_of(std::size_t index) const;
  /** Returns the cell at a point; nullopt: it is outside of the plot. */
  std::optional<std::size_t> cell_at(QPointF position) const;

 private:
  struct Layout {
    QRectF plot;
    QRectF legend;
    double key_y = 0;
    double cell_width = 1;
    double cell_height = 1;
  };
  /** The meaning of the colours: performances by rank, shares and counts linearly between the ends. */
  struct Range {
    PerformanceScale performance;  ///< empty: the values are shares or counts
    double low = 0;
    double high = 1;
    /** Returns 0 at the low end and 1 at the high end, not clamped; 1 if both ends are equal. */
    double fraction(double value) const { return high > low ? (value - low) / (high - low) : 1; }
  };
  /** The meaning of a mark in the cells. */
  struct KeyEntry {
    QString text;
    std::function<void(Canvas& canvas, const QRectF& where)> paint;
  };

  Range range() const;
  Layout layout_of(const QRectF& area) const;
  /** Returns the value that colours the cell; NaN: none. */
  double value_of(std::size_t index) const;
  QString text_of(double value) const;
  /** Returns the position of a value on the colour scale, 1 the brightest. */
  double brightness_of(double value) const;
  std::vector<KeyEntry> key() const;
  std::vector<KeyEntry> key_of_predictions() const;
  void paint_cell(Canvas& canvas, const QRectF& where, std::size_t index) const;
  void paint_prediction(Canvas& canvas, const QRectF& where, std::size_t index) const;
  void paint_labels(Canvas& canvas) const;
  void paint_legend(Canvas& canvas) const;
  void paint_key(Canvas& canvas) const;
  void paint_marks(Canvas& canvas) const;

  const HeatMapData& data_;
  Range range_;
  Layout layout_;
};

}  // namespace kernelscape::charts
