#pragma once

#include <array>

#include "core/analysis/time_split.h"
#include "ui/charts/chart.h"

namespace kernelscape {

/** Where a session's wall time went: one bar of wall shares, search | build | run | idle, with their numbers.
 */
class TimeChart : public Chart {
  Q_OBJECT

 public:
  explicit TimeChart(QWidget* parent = nullptr);

  void set_data(const TimeSplit& split);
  /** The four parts of the bar in the widget, in its order; a part without time is empty. */
  std::array<QRectF, 4> parts() const { return parts_for(body_rect()); }

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
  std::array<double, 4> seconds() const;
  std::array<double, 4> shares() const;
  Readout readout_of(std::size_t phase) const;

  TimeSplit split_;
};

}  // namespace kernelscape
