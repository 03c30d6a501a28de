#pragma once

#include <array>

#include "core/analysis/time_split.h"
#include "ui/charts/chart.h"

namespace kernelscape {

/**
 * Where a session's wall time went: one bar of wall shares, search | build | run | idle, with their numbers.
 * What an adaptive evaluator saved is not spent: it stands hatched behind the bar's end, on the same scale.
 */
class TimeChart : public Chart {
  Q_OBJECT

 public:
  explicit TimeChart(QWidget* parent = nullptr);

  /** Seconds that are negative or not finite, and fewer than 0 samples, count as 0. */
  void set_data(const TimeSplit& split);
  /** The four parts of the bar in the widget, in its order; a part without time is empty. */
  std::array<QRectF, 4> parts() const { return parts_for(body_rect()); }
  /** Behind the bar: the time that was saved; empty where none was. */
  QRectF saved_part() const { return saved_part_for(body_rect()); }

  ChartTable table() const override;
  QString explanation() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 protected:
  void paint_chart(Canvas& canvas, const QRectF& area) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;

 private:
  std::array<QRectF, 4> parts_for(const QRectF& area) const;
  QRectF saved_part_for(const QRectF& area) const;
  double bar_width(const QRectF& area) const;
  bool saves() const { return split_.samples_saved > 0; }
  void paint_bar(Canvas& canvas, const QRectF& area) const;
  void paint_saved(Canvas& canvas, const QRectF& area, double y) const;
  QString saved_text(bool in_full = true) const;
  std::array<double, 4> seconds() const;
  std::array<double, 4> shares() const;
  /** @param part of the bar, or the saved one behind them */
  Readout readout_of(std::size_t part) const;

  TimeSplit split_;
};

}  // namespace kernelscape
