#include "ui/charts/bars/relevance_chart.h"
#include "ui/charts/curves/prediction_chart.h"
#include "ui/charts/curves/series_chart.h"
#include "ui/figures/misjudged_trials.h"
#include "ui/figures/model_belief.h"
#include "ui/figures/outcome_figures.h"
#include "ui/figures/registry.h"

namespace kernelscape::figures {
namespace {

constexpr int series_height = 230;
constexpr int prediction_height = 360;

/** Returns the tuner's predictions against the measured values, if the session has predictions. */
std::vector<Figure> prediction_figures(const Source& source, const workspace::JobControl&) {
  const workspace::SourceData& session = *source.session;
  std::optional<FigureOf<charts::SeriesData>> figure = prediction_figure(session);
  if (!figure) return {};
  figure->data.passing = source.passing;
  figure->text.of = charts::passing_text(source.passing, session.trials.size());
  figure->text.notice = charts::nothing_passes_notice(source.passing, session.trials.size());
  return {make_figure<charts::PredictionChart>(std::move(*figure),
                                               prediction_height + lanes_height(session.errors))};
}

/** Returns the relevance of columns, if the tuner learns it. */
std::vector<Figure> relevance_figures(const Source& source, const workspace::JobControl&) {
  const workspace::SourceData& session = *source.session;
  if (!learns_relevance(session)) return {};
  charts::RelevanceData data = relevance_data_of(session);
  const int height = bars_height(data.columns.size());
  const Text text{
      .title = figure_text("Relevance of columns so far"),
      .notice = relevance_notice(session),
      .caption = figure_text(
          "Of the similarity of two configurations, the share that a move across a column's whole range "
          "removes under the tuner's model: an estimate of the model, not a share of the variance.")};
  return {make_figure<charts::RelevanceChart>(text, std::move(data), height)};
}

/**
 * Returns every series that a session's tuner reported; series that differ in their column only are a group.
 */
std::vector<Figure> series_figures_of_tuner(const Source& source, const workspace::JobControl&) {
  const workspace::SourceData& session = *source.session;
  std::vector<Figure> figures;
  for (const analysis::SeriesFigure& series : series_figures_of(session)) {
    const bool predicts = series.relation != trial::SeriesRelation::None;
    charts::SeriesData data = series_data_of(session, series);
    data.passing = source.passing;
    Figure& figure = figures.emplace_back(make_figure<charts::SeriesChart>(
        {.title = QString::fromStdString(series.title),
         .notice = charts::nothing_passes_notice(source.passing, session.trials.size()),
         .caption = QString::fromStdString(series.meaning)},
        std::move(data), series_height + (predicts ? lanes_height(session.errors) : 0)));
    figure.group = QString::fromStdString(series.group);
    figure.member = QString::fromStdString(series.member);
  }
  return figures;
}

}  // namespace

Kind prediction_figure_kind() {
  return figure_kind<charts::PredictionChart>("prediction", Place::TuneModel, ReportPart::Model,
                                              prediction_figures);
}

Kind relevance_figure_kind() {
  return figure_kind<charts::RelevanceChart>("relevance", Place::TuneModel, ReportPart::Model,
                                             relevance_figures);
}

Kind series_figure_kind() {
  return figure_kind<charts::SeriesChart>("series", Place::TuneModel, ReportPart::Model,
                                          series_figures_of_tuner);
}

}  // namespace kernelscape::figures
