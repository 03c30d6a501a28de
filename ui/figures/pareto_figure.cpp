#include "ui/figures/pareto_figure.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/figures/registry.h"
#include "ui/style/numbers.h"

namespace kernelscape::figures {
namespace {

constexpr int pareto_height = 360;

/** The measured columns that can be objectives, in the order in which they are offered. */
constexpr std::array measured_objectives{trial::Measured::Milliseconds, trial::Measured::Gflops,
                                         trial::Measured::Bandwidth,    trial::Measured::BuildSeconds,
                                         trial::Measured::Registers,    trial::Measured::SpilledBytes,
                                         trial::Measured::SharedBytes,  trial::Measured::Occupancy};

analysis::Better direction_of(const analysis::Column& column, const std::optional<analysis::Better>& chosen) {
  return chosen.value_or(analysis::usual_direction(column));
}

charts::ParetoAxis objective_axis(const analysis::Column& column, analysis::Better better) {
  return {.title = QString::fromStdString(column.title),
          .unit = QString::fromStdString(column.unit),
          .more_is_better = better == analysis::Better::More};
}

/** Returns the notice that replaces the data; empty: there are data. */
QString missing_objectives_text(const ShownTrials& shown, const ParetoChoice& choice) {
  const bool metrics =
      std::ranges::any_of(shown.source->columns().columns(),
                          [](const analysis::Column& column) { return column.metric.has_value(); });
  if (choice.x != choice.y) return {};
  return metrics ? figure_text("Both axes show the same quantity. Choose two different ones above.")
                 : figure_text(
                       "The trials have no metric beside their times, such as energy or the size of the "
                       "code. Choose two different quantities above, such as the time and the build time.");
}

}  // namespace

std::vector<std::size_t> objective_columns(const analysis::TrialColumns& columns) {
  std::vector<std::size_t> offered;
  for (const trial::Measured what : measured_objectives)
    if (const std::optional<std::size_t> column = columns.find(what)) offered.push_back(*column);
  for (std::size_t column = 0; column < columns.columns().size(); ++column)
    if (columns.columns()[column].metric) offered.push_back(column);
  return offered;
}

ParetoChoice usual_objectives(const analysis::TrialColumns& columns) {
  const std::size_t time = columns.find(trial::Measured::Milliseconds).value();
  const auto metric = std::ranges::find_if(
      columns.columns(), [](const analysis::Column& column) { return column.metric.has_value(); });
  if (metric == columns.columns().end()) return {time, time};
  return {time, static_cast<std::size_t>(metric - columns.columns().begin())};
}

FigureOf<charts::ParetoData> pareto_figure(const ShownTrials& shown, const ParetoChoice& choice,
                                           const workspace::JobControl& control) {
  FigureOf<charts::ParetoData> figure;
  const analysis::Better x_better = direction_of(shown.column(choice.x), choice.x_better);
  const analysis::Better y_better = direction_of(shown.column(choice.y), choice.y_better);
  figure.data.x = objective_axis(shown.column(choice.x), x_better);
  figure.data.y = objective_axis(shown.column(choice.y), y_better);
  figure.text.title = figure_text("Pareto front");
  figure.text.of = shown.origin_text();
  figure.text.notice = missing_objectives_text(shown, choice);
  if (!figure.text.notice.isEmpty()) return figure;
  const analysis::TrialColumns& columns = shown.source->columns();
  const trial::Snapshot& trials = shown.source->trials;
  const std::vector<double> x = analysis::objective_values(columns, trials, shown.rows, choice.x);
  if (!control.proceed()) return figure;
  const std::vector<double> y = analysis::objective_values(columns, trials, shown.rows, choice.y);
  if (!control.proceed()) return figure;
  auto points = std::make_shared<std::vector<charts::ParetoPoint>>();
  std::vector<double> drawn_x;
  std::vector<double> drawn_y;
  for (std::size_t i = 0; i < shown.rows.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
    points->push_back({shown.rows[i], trials.row(shown.rows[i]).number, x[i], y[i]});
    drawn_x.push_back(x[i]);
    drawn_y.push_back(y[i]);
  }
  figure.data.front = analysis::pareto_front({drawn_x, x_better}, {drawn_y, y_better});
  if (points->empty())
    figure.text.notice =
        figure_text("No valid trial has both quantities. Choose others above, or remove filters.");
  figure.text.caption =
      figure_text(
          "%1 of %2 valid trials with both quantities are on the Pareto front: no other trial is at least "
          "as good in both and better in one.")
          .arg(style::format_count(std::ssize(figure.data.front)), style::format_count(std::ssize(*points)));
  figure.data.points = std::move(points);
  return figure;
}

namespace {

std::vector<Figure> pareto_figures(const Source& source, const workspace::JobControl& control) {
  const ParetoChoice choice = usual_objectives(source.shown->source->columns());
  return {make_figure<charts::ParetoChart>(pareto_figure(*source.shown, choice, control), pareto_height)};
}

}  // namespace

Kind pareto_figure_kind() {
  return figure_kind<charts::ParetoChart>("pareto", Place::Explore, ReportPart::Outcomes, pareto_figures);
}

}  // namespace kernelscape::figures
