#include "ui/figures/parallel_figure.h"

#include <algorithm>

#include "ui/figures/frequent_messages.h"
#include "ui/figures/registry.h"
#include "ui/models/trial_values.h"

namespace kernelscape::figures {
namespace {

constexpr int parallel_height = 360;
constexpr std::size_t first_axes = 8;

}  // namespace

std::vector<std::size_t> default_axes(const ShownTrials& shown) {
  const workspace::SourceData& source = *shown.source;
  std::vector<std::size_t> axes;
  for (std::size_t knob = 0; knob < std::min(first_axes, source.space().knobs().size()); ++knob)
    axes.push_back(source.columns().default_column(knob));
  // Without any speed, use the occupancy as the last axis.
  const std::optional<std::size_t> occupancy = source.columns().find(trial::Measured::Occupancy);
  axes.push_back(source.build_only() && occupancy ? *occupancy : shown.performance_column);
  return axes;
}

FigureOf<charts::ParallelData> parallel_figure(const ShownTrials& shown, const std::vector<std::size_t>& axes,
                                               const analysis::RowSet& selection,
                                               const std::filesystem::path& database,
                                               const workspace::JobControl& control) {
  FigureOf<charts::ParallelData> figure{
      {.title = figure_text("Parallel coordinates"), .of = shown.origin_text()}, {}};
  if (!shown.source->build_only()) figure.text.notice = no_performance_notice(database, shown, control);
  if (axes.size() < 2) {
    figure.text.notice = figure_text("Choose at least two axes (button Axes above).");
    return figure;
  }
  std::vector<std::vector<double>> values;
  std::vector<analysis::ParallelColumn> columns;
  for (const std::size_t axis : axes) {
    values.push_back(column_values(shown, axis, control));
    if (!control.proceed()) return figure;
  }
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    columns.push_back({values[axis], shown.column(axes[axis]).logarithmic});
  charts::ParallelData& data = figure.data;
  data.quantity = shown.quantity();
  data.unit = shown.unit();
  data.higher_is_better = shown.higher_is_better;
  data.coordinates = analysis::parallel_coordinates(columns, shown.performance_values(), shown.rows,
                                                    shown.rows_of(selection));
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const analysis::Column& column = shown.column(axes[axis]);
    charts::ParallelAxisText text{models::column_title(column), {}, column.logarithmic};
    for (const QString& label : bin_labels(column, data.coordinates.axes[axis].bins))
      text.labels.append(label);
    data.axes.push_back(std::move(text));
  }
  return figure;
}

namespace {

/** Returns the parallel coordinates of the default axes. */
std::vector<Figure> parallel_figures(const Source& source, const workspace::JobControl& control) {
  return {make_figure<charts::ParallelChart>(
      parallel_figure(*source.shown, default_axes(*source.shown), {}, source.database, control),
      parallel_height)};
}

}  // namespace

Kind parallel_figure_kind() {
  return figure_kind<charts::ParallelChart>("parallel", Place::Explore, ReportPart::None, parallel_figures);
}

}  // namespace kernelscape::figures
