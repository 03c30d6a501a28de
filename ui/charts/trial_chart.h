#pragma once

#include "core/analysis/filter/row_set.h"
#include "ui/charts/xy_chart.h"

namespace kernelscape::charts {

/** The base of charts with two axes whose marks are trials. It keeps the current trial and the selection. */
class TrialChart : public XyChart {
  Q_OBJECT

 public:
  using XyChart::XyChart;  ///< no trial is current, and none is selected

  void set_current_row(std::int64_t row) override;
  void set_selection(const analysis::RowSet& selection) override;

 protected:
  std::int64_t current_row() const { return current_row_; }         ///< Returns the current trial; -1: none
  const analysis::RowSet& selection() const { return selection_; }  ///< Returns the selected rows

  /** Forgets the current trial and the selection: the trials shown next are those of another session. */
  void forget_rows();
  /** Called when another trial became the current one, before the chart is painted. */
  virtual void current_row_changed() {}
  /** Called when the selection was set. A chart that paints the selection calls `invalidate()`. */
  virtual void selection_changed() {}
  /** Paints a ring around the current trial, for use in `paint_plot_overlay`. */
  static void paint_current(Canvas& canvas, QPointF position, double radius = 6.5);

 private:
  analysis::RowSet selection_;
  std::int64_t current_row_ = -1;
};

}  // namespace kernelscape::charts
