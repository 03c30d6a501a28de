#include "ui/charts/trial_chart.h"

namespace kernelscape::charts {

void TrialChart::set_current_row(std::int64_t row) {
  if (row == current_row_) return;
  current_row_ = row;
  current_row_changed();
  update();
}

void TrialChart::set_selection(const analysis::RowSet& selection) {
  selection_ = selection;
  selection_changed();
}

void TrialChart::forget_rows() {
  current_row_ = -1;
  selection_ = {};
}

void TrialChart::paint_current(Canvas& canvas, QPointF position, double radius) {
  canvas.ring(position, radius, {surface_ink(), 4, {}});
  canvas.ring(position, radius, {text_ink(), 2, {}});
}

}  // namespace kernelscape::charts
