#pragma once

#include <array>

#include "core/analysis/time_split.h"
#include "ui/charts/bars/bar_chart.h"

namespace kernelscape::charts {

/**
 * The time breakdown of a session: one bar of search, build, run and idle with their numbers. The idle time
 * of a fleet is its queue. Time that an adaptive evaluator saved was not spent: it is hatched behind the
 * bar's end, on the same scale.
 */
class TimeChart : public BarChart {
  Q_OBJECT

 public:
  explicit TimeChart(QWidget* parent = nullptr);

  /** Sets the data. Seconds that are negative or not finite, and negative numbers of samples, count as 0. */
  void set_data(const analysis::TimeSplit& split);
  /** Returns the four parts of the bar in the widget, in its order; a part without time is empty. */
  std::array<QRectF, 4> parts() const;
  /** Returns the rectangle of the saved time behind the bar; empty if no time was saved. */
  QRectF saved_part() const;

  Table table() const override;
  QString explanation() const override;
  QString summary() const override;

 protected:
  void paint_chart(Canvas& canvas, const QRectF& area) override;
  BarRows bars() const override;
  QStringList lines_of(BarPlace place) const override;
  QRectF bars_area(const QRectF& area) const override;

 private:
  bool saves() const { return split_.saved.samples > 0; }
  void paint_saved(Canvas& canvas, const QRectF& area, double y) const;
  QString saved_text(bool in_full = true) const;
  QString name_of(std::size_t phase) const;
  QString meaning_of(std::size_t phase) const;
  std::array<double, 4> seconds() const;
  std::array<double, 4> shares() const;

  analysis::TimeSplit split_;
};

}  // namespace kernelscape::charts
