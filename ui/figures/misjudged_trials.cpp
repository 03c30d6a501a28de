#include "ui/figures/misjudged_trials.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "ui/figures/model_belief.h"

namespace kernelscape::figures {

double MisjudgedTrial::off() const { return std::abs(predicted - measured) / std::max(predicted, measured); }

MisjudgedTrials misjudged_trials(const ShownTrials& shown, const charts::SeriesData& data, std::size_t most,
                                 const workspace::JobControl& control) {
  MisjudgedTrials trials;
  std::vector<MisjudgedTrial> all;
  for (std::size_t place = 0; place < shown.rows.size(); ++place) {
    if (place % workspace::rows_at_once == 0 && !control.proceed()) return {};
    const std::int64_t row = shown.rows[place];
    if (row >= data.trials.size()) continue;
    const trial::Row trial = data.trials.row(row);
    const double predicted = data.value(trial);
    if (!std::isfinite(predicted)) continue;
    if (trial.category != trial::ErrorCategory::NoError) ++trials.failed;
    const double measured = data.measured(trial);
    if (measured > 0) all.push_back({row, trial.number, predicted, measured, {}});
  }
  trials.judged = std::ssize(all);
  const auto listed = all.begin() + static_cast<std::ptrdiff_t>(std::min(most, all.size()));
  std::ranges::partial_sort(all, listed, {},
                            [](const MisjudgedTrial& trial) { return std::tuple(-trial.off(), trial.row); });
  all.erase(listed, all.end());
  for (MisjudgedTrial& trial : all)
    trial.configuration =
        QString::fromStdString(shown.source->space().describe(data.trials.configuration(trial.row)));
  trials.worst = std::move(all);
  return trials;
}

std::optional<FigureOf<charts::SeriesData>> prediction_figure(const workspace::SourceData& source) {
  const std::vector<analysis::SeriesFigure> series = series_figures_of(source);
  const auto estimate =
      std::ranges::find(series, trial::SeriesRelation::Estimate, &analysis::SeriesFigure::relation);
  if (estimate == series.end()) return std::nullopt;
  return FigureOf<charts::SeriesData>{
      .text = {.title = figure_text("Predicted against measured"),
               .caption = figure_text("On the diagonal a trial was as fast as the tuner's model predicted. "
                                      "Failures stand in lanes below the axis, at their predicted value.")},
      .data = series_data_of(source, *estimate)};
}

}  // namespace kernelscape::figures
