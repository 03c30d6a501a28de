#include "ui/figures/knob_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/analysis/landscape/column_effects.h"
#include "core/analysis/landscape/heat_map.h"
#include "ui/figures/frequent_messages.h"
#include "ui/figures/registry.h"
#include "ui/models/trial_values.h"

namespace kernelscape::figures {
namespace {

constexpr std::int64_t fewest_for_a_box = 5;
constexpr int effects_height = 230;
constexpr int heat_map_height = 360;
constexpr std::size_t max_effects = 6;

charts::EffectBox make_box(const analysis::EffectGroup& group, const analysis::Column& column,
                           bool stands_for_space, bool complete) {
  charts::EffectBox box;
  box.label = bin_label(column, group.low, group.high);
  box.count = group.count;
  box.valid = group.valid;
  box.performance = group.performance;
  if (!stands_for_space) return box;
  box.mean = group.mean;
  if (complete) return box;
  if (group.mean_95) box.mean_interval = {group.mean_95->low, group.mean_95->high};
  box.share_interval = {group.share_valid_95.low, group.share_valid_95.high};
  return box;
}

ValueRanges ends_of(const analysis::ValueBins& bins) {
  ValueRanges ends;
  for (std::size_t bin = 0; bin < bins.count(); ++bin) ends.emplace_back(bins.low(bin), bins.high(bin));
  return ends;
}

}  // namespace

std::optional<std::size_t> range_of(const ValueRanges& ranges, double value) {
  const auto found = std::ranges::lower_bound(ranges, value, {}, &ValueRanges::value_type::second);
  if (found == ranges.end() || !(value >= found->first)) return std::nullopt;
  return static_cast<std::size_t>(found - ranges.begin());
}

std::vector<std::size_t> knobs_by_importance(const space::SearchSpace& space,
                                             const FigureOf<charts::ImportanceData>* importance) {
  std::vector<std::size_t> knobs;
  if (importance != nullptr && importance->text.notice.isEmpty())
    for (const charts::ImportanceBar& bar : importance->data.bars)
      if (bar.second < 0) knobs.push_back(static_cast<std::size_t>(bar.first));
  for (std::size_t knob = 0; knob < space.knobs().size(); ++knob)
    if (std::ranges::find(knobs, knob) == knobs.end()) knobs.push_back(knob);
  std::ranges::stable_partition(knobs, [&](std::size_t knob) { return space.knobs()[knob].count() > 1; });
  return knobs;
}

std::pair<std::size_t, std::size_t> heat_map_columns(const ShownTrials& shown,
                                                     const FigureOf<charts::ImportanceData>* importance) {
  const std::vector<std::size_t> knobs = knobs_by_importance(shown.source->space(), importance);
  const analysis::TrialColumns& columns = shown.source->columns();
  return {columns.default_column(knobs.front()),
          columns.default_column(knobs[std::min<std::size_t>(1, knobs.size() - 1)])};
}

EffectsFigure effects_of(const ShownTrials& shown, std::size_t column, const analysis::RowSet& selection,
                         const std::filesystem::path& database, const workspace::JobControl& control) {
  EffectsFigure figure;
  figure.column = column;
  const analysis::Column& about = shown.column(column);
  const QString name = models::column_title(about);
  figure.text = {.title = figure_text("Effect of %1 on %2").arg(name, shown.quantity()),
                 .of = shown.origin_text(),
                 .notice = no_performance_notice(database, shown, control)};
  figure.data = {name, shown.quantity(), shown.unit(), shown.higher_is_better, {}, {}};
  if (!figure.text.notice.isEmpty()) return figure;
  const std::vector<double> values = column_values(shown, column, control);
  if (!control.proceed()) return figure;
  const analysis::PerformanceColumn performance = shown.performance_values();
  const analysis::ColumnEffect effect = analysis::column_effect(values, performance, shown.rows);
  if (!control.proceed()) return figure;
  std::vector<charts::EffectBox>& boxes = figure.data.boxes;
  for (const analysis::EffectGroup& group : effect.groups) {
    boxes.push_back(make_box(group, about, shown.stands_for_space(), shown.source->complete()));
    figure.ends.emplace_back(group.low, group.high);
  }
  if (boxes.empty()) figure.text.notice = figure_text("No trial shown has a value of %1.").arg(name);
  for (const std::int64_t row : shown.rows) {
    if (!performance.valid(row)) continue;
    const auto place = range_of(figure.ends, values[static_cast<std::size_t>(row)]);
    if (place && boxes[*place].valid < fewest_for_a_box) boxes[*place].points.push_back(performance.at(row));
  }
  for (const std::int64_t row : shown.rows_of(selection)) {
    const auto place = range_of(figure.ends, values[static_cast<std::size_t>(row)]);
    if (place) ++boxes[*place].highlighted;
  }
  return figure;
}

QString heat_measure_text(charts::HeatMeasure measure) {
  constexpr std::array texts{"best", "mean", "share valid", "count", "predicted mean"};
  return figure_text(texts[static_cast<std::size_t>(measure)]);
}

QString heat_map_problem(const ShownTrials& shown, std::size_t x_column, std::size_t y_column,
                         charts::HeatMeasure measure) {
  if (x_column == y_column)
    return shown.source->space().knobs().size() == 1 ? figure_text(
                                                           "This space has only one knob, which is shown "
                                                           "above. A heat map needs two different columns.")
                                                     : figure_text("Choose two different columns.");
  if (charts::is_performance(measure) && shown.source->build_only())
    return figure_text(
        "Build only: there are no timings. Choose \"share valid\" or \"count\" to see what can be built.");
  const bool of_knobs = shown.column(x_column).knob && shown.column(y_column).knob;
  if (measure == charts::HeatMeasure::Predicted && !of_knobs)
    return figure_text(
        "The prediction needs knobs as input, not measured columns: choose two columns of knobs.");
  return {};
}

HeatMapFigure heat_map_of(const ShownTrials& shown, std::size_t x_column, std::size_t y_column,
                          charts::HeatMeasure measure, const analysis::RowSet& selection,
                          const workspace::JobControl& control) {
  HeatMapFigure figure;
  figure.x_column = x_column;
  figure.y_column = y_column;
  const analysis::Column& x = shown.column(x_column);
  const analysis::Column& y = shown.column(y_column);
  charts::HeatMapData& data = figure.data;
  data.x_column = models::column_title(x);
  data.y_column = models::column_title(y);
  data.quantity = shown.quantity();
  data.unit = shown.unit();
  data.higher_is_better = shown.higher_is_better;
  data.measure = measure;
  figure.text = {
      .title = figure_text("%1 and %2, %3").arg(data.x_column, data.y_column, heat_measure_text(measure)),
      .of = shown.origin_text(),
      .notice = heat_map_problem(shown, x_column, y_column, measure)};
  if (!figure.text.notice.isEmpty()) return figure;
  const std::vector<double> x_values = column_values(shown, x_column, control);
  const std::vector<double> y_values = column_values(shown, y_column, control);
  if (!control.proceed()) return figure;
  const analysis::HeatMap map = analysis::heat_map(x_values, y_values, shown.validity_values(), shown.rows);
  if (!control.proceed()) return figure;
  figure.x_ends = ends_of(map.x);
  figure.y_ends = ends_of(map.y);
  data.x_labels = bin_labels(x, map.x);
  data.y_labels = bin_labels(y, map.y);
  data.cells = map.cells;
  if (data.cells.empty()) figure.text.notice = figure_text("No trial shown has both values.");
  data.highlighted.assign(map.cells.size(), 0);
  for (const std::int64_t row : shown.rows_of(selection)) {
    const std::int32_t x_bin = map.x.find(x_values[static_cast<std::size_t>(row)]);
    const std::int32_t y_bin = map.y.find(y_values[static_cast<std::size_t>(row)]);
    if (x_bin != analysis::ValueBins::no_bin && y_bin != analysis::ValueBins::no_bin)
      ++data.highlighted[static_cast<std::size_t>(y_bin) * map.x.count() + static_cast<std::size_t>(x_bin)];
  }
  return figure;
}

namespace {

/**
 * Returns the effects of the six most important knobs if their importance is known, otherwise of the first
 * six.
 */
std::vector<Figure> effects_figures(const Source& source, const workspace::JobControl& control) {
  const ShownTrials& shown = *source.shown;
  const space::SearchSpace& space = shown.source->space();
  std::vector<Figure> figures;
  for (const std::size_t knob : knobs_by_importance(space, source.importance.get()))
    if (figures.size() < max_effects && space.knobs()[knob].count() > 1)
      figures.push_back(make_figure<charts::EffectsChart>(
          // NOLINTNEXTLINE(cppcoreguidelines-slicing): only the figure is needed here
          effects_of(shown, shown.source->columns().default_column(knob), {}, source.database, control),
          effects_height));
  return figures;
}

/**
 * Returns the heat map of the two most important knobs if their importance is known, otherwise of the first
 * two.
 */
std::vector<Figure> heat_map_figures(const Source& source, const workspace::JobControl& control) {
  const auto [x, y] = heat_map_columns(*source.shown, source.importance.get());
  // NOLINTNEXTLINE(cppcoreguidelines-slicing): only the figure is needed here
  return {make_figure<charts::HeatMapChart>(
      heat_map_of(*source.shown, x, y, charts::HeatMeasure::Best, {}, control), heat_map_height)};
}

}  // namespace

Kind effects_figure_kind() {
  return figure_kind<charts::EffectsChart>("effects", Place::Explore, ReportPart::Knobs, effects_figures);
}

Kind heat_map_figure_kind() {
  return figure_kind<charts::HeatMapChart>("heat map", Place::Explore, ReportPart::None, heat_map_figures);
}

}  // namespace kernelscape::figures
