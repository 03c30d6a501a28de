#pragma once

#include "ui/charts/bars/bar_rows.h"
#include "ui/charts/chart.h"

namespace kernelscape::charts {

/**
 * The base of charts of horizontal bars: it lays out, paints and hit-tests the rows of a subclass, and moves
 * through them by keys. A readout's row is the bar's row times the number of parts, plus the part.
 */
class BarChart : public Chart {
  Q_OBJECT

 public:
  using Chart::Chart;  ///< the chart has no bars at first

  /**
   * Returns the labels with the texts of the first panel: of all rows, or of the first three if rows may be
   * left out.
   */
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;
  QSize minimumSizeHint() const override;

 protected:
  /** Returns the bars shown now; their colours are read while painting. */
  virtual BarRows bars() const = 0;
  /** Returns the lines of the readout of a place. */
  virtual QStringList lines_of(BarPlace place) const = 0;
  /** Handles a click or Enter on a place. */
  virtual void activate_bar(BarPlace) {}
  /** Returns the part of the chart's area for the bars: all of it unless the subclass paints beside them. */
  virtual QRectF bars_area(const QRectF& area) const { return area; }

  /**
   * Updates the chart; to be called when `bars()` changed. @param read the new place of the readout; nullopt:
   * no readout
   */
  void show_bars(const std::optional<BarPlace>& read = {});
  /** Returns the place of the readout; nullopt: there is no readout. */
  std::optional<BarPlace> read() const;
  /** Returns the layout in the widget's current size. */
  BarLayout bar_layout() const { return {bars(), bars_area(body_rect())}; }

  void paint_chart(Canvas& canvas, const QRectF& area) override;
  void paint_overlay(Canvas& canvas, const QRectF& area) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;

 private:
  std::optional<Readout> readout_of(const BarLayout& layout, const std::optional<BarPlace>& place) const;

  QtPlot plot_;
};

}  // namespace kernelscape::charts
