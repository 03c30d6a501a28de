#pragma once

#include "ui/charts/bars/bar_rows.h"
#include "ui/charts/chart.h"

namespace kernelscape {

/**
 * The base of charts of level bars: what a subclass gives as rows is laid out, painted, pointed at and walked
 * through by keys. The readout's row is the bar's, times the number of parts, plus the part.
 */
class BarChart : public Chart {
  Q_OBJECT

 public:
  using Chart::Chart;  ///< without bars at first

  /** Labels with the texts of the first panel: of all rows, or of the first three where some may be left out.
   */
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;
  QSize minimumSizeHint() const override;

 protected:
  /** What is shown now; its colours are read while painting. */
  virtual BarRows bars() const = 0;
  /** What the readout says of a place. */
  virtual QStringList lines_of(BarPlace place) const = 0;
  /** A click or Enter on a place. */
  virtual void activate_bar(BarPlace) {}
  /** The part of the chart's area for the bars; all of it unless the subclass paints beside them. */
  virtual QRectF bars_area(const QRectF& area) const { return area; }

  /** To be called where `bars()` became others. @param read what the readout is of from now on; none: nothing
   */
  void show_bars(const std::optional<BarPlace>& read = {});
  /** What the readout is of; none: there is no readout. */
  std::optional<BarPlace> read() const;
  /** In the widget as it is now. */
  BarLayout bar_layout() const { return {bars(), bars_area(body_rect())}; }

  void paint_chart(Canvas& canvas, const QRectF& area) override;
  void paint_overlay(Canvas& canvas, const QRectF& area) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;

 private:
  std::optional<Readout> readout_of(const BarLayout& layout, const std::optional<BarPlace>& place) const;

  QtPlot plot_;
};

}  // namespace kernelscape
