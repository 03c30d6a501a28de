#include <QComboBox>

#include "ui/views/explore/column_box.h"
#include "ui/views/explore/knobs_page.h"

namespace kernelscape {

HeatMeasure KnobsPage::measure() const { return static_cast<HeatMeasure>(measure_->currentIndex()); }

QString KnobsPage::heat_map_problem() const {
  const SourceData& source = *shown()->source;
  if (x_column_->column() == y_column_->column())
    return source.space().knobs().size() == 1
               ? tr("This space has one knob, which is shown above. Choose two different "
                    "columns to cross them.")
               : tr("Choose two different columns to cross them.");
  if (is_performance(measure()) && source.build_only())
    return tr(
        "Build only: there are no timings. Choose \"share valid\" or \"count\" to see what can be built.");
  const auto of_knob = [&](const ColumnBox* box) { return shown()->column(box->column()).knob.has_value(); };
  if (measure() == HeatMeasure::Predicted && !(of_knob(x_column_) && of_knob(y_column_)))
    return tr("What was measured cannot be predicted from: choose two columns of knobs.");
  return {};
}

void KnobsPage::compute_heat_map() {
  if (!shown()) return;
  const std::size_t x = x_column_->column();
  const std::size_t y = y_column_->column();
  const QString problem = heat_map_problem();
  const bool predicts = measure() == HeatMeasure::Predicted && problem.isEmpty();
  const Shown of = predicts ? beliefs_.follow(shown(), x, y) : shown();
  QString origin = of->origin_text();
  if (predicts && beliefs_.notice().isEmpty())
    origin = beliefs_.origin_text() + QStringLiteral("; ") + origin;
  heat_map_->set_title(
      tr("%1 and %2, %3").arg(x_column_->currentText(), y_column_->currentText(), measure_->currentText()),
      origin);
  if (!problem.isEmpty()) {
    heat_map_jobs_.cancel();
    heat_map_->set_notice(problem);
    return;
  }
  heat_map_jobs_.start(
      [of, x, y, measure = measure(), selection = workspace().selection()](const JobControl& control) {
        return heat_map_of(*of, x, y, measure, selection, control);
      },
      [this](HeatMapOutcome outcome) { show_heat_map(std::move(outcome)); });
}

void KnobsPage::show_heat_map(HeatMapOutcome outcome) {
  heat_map_shown_ = std::move(outcome);
  HeatMapData& map = heat_map_shown_.data;
  QString notice = map.cells.empty() ? tr("No trial shown has both values.") : QString();
  if (map.measure == HeatMeasure::Predicted && notice.isEmpty()) {
    notice = beliefs_.notice();
    map.beliefs = beliefs_.cells();
    if (map.beliefs.empty()) map.cells.clear();
  }
  heat_map_->set_notice(notice);
  show_current();
}

}  // namespace kernelscape
