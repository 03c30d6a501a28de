#include "ui/figures/outcome_figures.h"

#include <algorithm>

#include "ui/charts/bars/error_chart.h"
#include "ui/charts/bars/time_chart.h"
#include "ui/figures/registry.h"

namespace kernelscape::figures {
namespace {

constexpr int saved_row_height = 22;
constexpr int time_height = 120;
constexpr int lane_height = 12;

}  // namespace

analysis::ErrorBreakdown breakdown_of(const ShownTrials& shown, const workspace::JobControl& control) {
  analysis::ErrorBreakdown breakdown;
  for (std::size_t index = 0; index < shown.rows.size(); ++index) {
    if (index % workspace::rows_at_once == 0 && !control.proceed()) return {};
    const trial::Row row = shown.source->trials.row(shown.rows[index]);
    breakdown.categories[static_cast<std::size_t>(row.category)] += {1, row.build_seconds, row.run_seconds};
  }
  return breakdown;
}

analysis::ErrorBreakdown breakdown_of(const workspace::SourceData& source,
                                      const charts::PassingRows& passing) {
  if (!passing.filters()) return source.errors;
  analysis::ErrorBreakdown breakdown;
  passing.rows->for_each([&](std::int64_t index) {
    if (index >= source.trials.size()) return;
    const trial::Row row = source.trials.row(index);
    breakdown.categories[static_cast<std::size_t>(row.category)] += {1, row.build_seconds, row.run_seconds};
  });
  return breakdown;
}

FigureOf<analysis::ErrorBreakdown> outcome_figure(const analysis::ErrorBreakdown& outcomes,
                                                  const QString& of) {
  return {
      {.title = figure_text("Outcomes by trials and by build and run time"),
       .of = of,
       .notice = outcomes.all().trials > 0 ? QString() : figure_text("No trial yet"),
       .caption = figure_text(
           "Build and run time is the time that each trial's own build and run took, summed over workers.")},
      outcomes};
}

FigureOf<analysis::TimeSplit> time_figure(const workspace::SourceData& source,
                                          const charts::PassingRows& passing) {
  const bool any = source.status.session_seconds > 0;
  const QString caption =
      source.time().of_fleet
          ? figure_text(
                "Every instant of the session's wall time belongs to one phase: run, else build, else "
                "search, else queue, while tasks wait for workers of the fleet.")
          : figure_text(
                "Every instant of the session's wall time belongs to one phase: run, else build, else "
                "search, else idle.");
  return {
      {.title = figure_text("Time breakdown"),
       .of = passing.filters() ? figure_text("of the whole session, independent of the filter") : QString(),
       .notice = any ? QString() : figure_text("No time has passed yet"),
       .caption = caption},
      source.time()};
}

int failed_categories(const analysis::ErrorBreakdown& outcomes) {
  return static_cast<int>(std::count_if(outcomes.categories.begin() + 1, outcomes.categories.end(),
                                        [](const auto& one) { return one.trials > 0; }));
}

int lanes_height(const analysis::ErrorBreakdown& outcomes) {
  return lane_height * failed_categories(outcomes);
}

namespace {

std::vector<Figure> outcome_figures(const Source& source, const workspace::JobControl&) {
  const std::int64_t trials = source.session->trials.size();
  const analysis::ErrorBreakdown outcomes = breakdown_of(*source.session, source.passing);
  const QString of = source.passing.filters() ? charts::passing_text(source.passing, trials)
                                              : QString::fromStdString(source.session->coverage_text());
  FigureOf<analysis::ErrorBreakdown> figure = outcome_figure(outcomes, of);
  if (const QString nothing = charts::nothing_passes_notice(source.passing, trials); !nothing.isEmpty())
    figure.text.notice = nothing;
  return {make_figure<charts::ErrorChart>(
      std::move(figure), bars_height(static_cast<std::size_t>(failed_categories(outcomes)) + 1))};
}

std::vector<Figure> time_figures(const Source& source, const workspace::JobControl&) {
  return {make_figure<charts::TimeChart>(
      time_figure(*source.session, source.passing),
      time_height + (source.session->saved.samples > 0 ? saved_row_height : 0))};
}

}  // namespace

Kind outcomes_figure_kind() {
  return figure_kind<charts::ErrorChart>("outcomes", Place::Tune, ReportPart::Outcomes, outcome_figures);
}

Kind time_figure_kind() {
  return figure_kind<charts::TimeChart>("time", Place::Tune, ReportPart::Outcomes, time_figures);
}

}  // namespace kernelscape::figures
