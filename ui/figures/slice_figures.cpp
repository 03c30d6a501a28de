#include "ui/figures/slice_figures.h"

#include <algorithm>

#include "ui/charts/curves/machine_strip.h"
#include "ui/figures/registry.h"
#include "ui/style/numbers.h"

namespace kernelscape::figures {
namespace {

constexpr int slice_height = 300;
constexpr int contour_height = 420;
constexpr double growth_to_learn_again = 1.1;

/** Returns the trial that gives the other knobs: the chosen one, or the best one that is shown. */
std::optional<std::int64_t> base_row(const SliceQuery& query) {
  const ShownTrials& shown = *query.shown;
  if (query.row && *query.row >= 0 && *query.row < shown.source->trials.size()) return query.row;
  const analysis::PerformanceColumn performance = shown.performance_values();
  std::optional<std::int64_t> best;
  for (const std::int64_t row : shown.rows)
    if (performance.valid(row) && (!best || performance.better(performance.at(row), performance.at(*best))))
      best = row;
  return best;
}

/** Returns the performance by row with corrected times in slow phases, as the model saw them. */
std::vector<double> corrected_performance(const ShownTrials& shown) {
  std::vector<double> performance = shown.performance;
  const workspace::SourceData& source = *shown.source;
  if (!source.speeds || source.speeds->phases.empty()) return performance;
  for (std::size_t row = 0; row < performance.size(); ++row) {
    const trial::Speed machine = source.trials.row(static_cast<std::int64_t>(row)).machine;
    if (machine.slow_phase)
      performance[row] *= shown.higher_is_better ? 1 / machine.correction : machine.correction;
  }
  return performance;
}

/** Returns for each cell of a slice whether the time of its best trial is corrected. */
std::vector<bool> corrected_cells(const ShownTrials& shown, const std::vector<analysis::HeatCell>& cells) {
  std::vector<bool> corrected;
  for (const analysis::HeatCell& cell : cells)
    corrected.push_back(cell.best_row >= 0 && charts::is_corrected(shown.source->trials.row(cell.best_row)));
  return corrected;
}

std::vector<QString> value_labels(const space::Knob& knob, const std::vector<std::uint32_t>& indices) {
  std::vector<QString> labels;
  for (const std::uint32_t index : indices) labels.push_back(QString::fromStdString(knob.describe(index)));
  return labels;
}

std::optional<std::size_t> place_of_value(const std::vector<std::uint32_t>& indices, std::uint32_t index) {
  const auto found = std::ranges::lower_bound(indices, index);
  if (found == indices.end() || *found != index) return std::nullopt;
  return static_cast<std::size_t>(found - indices.begin());
}

bool has_order(const space::Knob& knob) {
  return knob.kind() == space::KnobKind::Ordinal || knob.kind() == space::KnobKind::Factorization;
}

QString model_text(const analysis::SliceModel& model) {
  if (model.learnt_from() == model.valid())
    return figure_text("predicted by a Gaussian process from %1 valid trials")
        .arg(style::format_count(model.valid()));
  return figure_text("predicted by a Gaussian process from %1 of %2 valid trials")
      .arg(style::format_count(model.learnt_from()), style::format_count(model.valid()));
}

/** Returns how the other knobs were chosen, and how many values of a knob are shown. */
QString slice_caption(const SliceQuery& query, std::int64_t row, std::size_t values, qint64 count) {
  const qint64 number = query.shown->source->trials.row(row).number;
  QString caption = (query.row == row ? figure_text("All other knobs are those of trial %1.")
                                      : figure_text("All other knobs are those of the best trial, %1."))
                        .arg(style::format_count(number));
  if (static_cast<qint64>(values) < count)
    caption += QLatin1Char(' ') +
               figure_text("%1 of %2 values are shown.")
                   .arg(style::format_count(static_cast<qint64>(values)), style::format_count(count));
  return caption;
}

void fill_slice(FigureOf<charts::SliceData>& figure, const SliceQuery& query,
                const analysis::SurrogateSlice& slice, const space::Configuration& base) {
  const space::Knob& knob = query.shown->source->space().knobs()[query.x];
  figure.data = {.knob = QString::fromStdString(knob.name()),
                 .quantity = query.shown->quantity(),
                 .unit = query.shown->unit(),
                 .higher_is_better = query.shown->higher_is_better,
                 .ordered = has_order(knob),
                 .labels = value_labels(knob, slice.x_indices),
                 .predictions = slice.predictions,
                 .measured = slice.measured,
                 .corrected = corrected_cells(*query.shown, slice.measured),
                 .base = place_of_value(slice.x_indices, base.indices[query.x])};
}

void fill_contour(FigureOf<charts::HeatMapData>& figure, const SliceQuery& query,
                  const analysis::SurrogateSlice& slice, const space::Configuration& base) {
  const std::vector<space::Knob>& knobs = query.shown->source->space().knobs();
  charts::HeatMapData& data = figure.data;
  data.x_column = QString::fromStdString(knobs[query.x].name());
  data.y_column = QString::fromStdString(knobs[query.y].name());
  data.quantity = query.shown->quantity();
  data.unit = query.shown->unit();
  data.higher_is_better = query.shown->higher_is_better;
  data.measure = charts::HeatMeasure::Predicted;
  data.x_labels = value_labels(knobs[query.x], slice.x_indices);
  data.y_labels = value_labels(knobs[query.y], slice.y_indices);
  data.cells = slice.measured;
  data.beliefs = slice.predictions;
  data.corrected = corrected_cells(*query.shown, slice.measured);
  const auto x = place_of_value(slice.x_indices, base.indices[query.x]);
  const auto y = place_of_value(slice.y_indices, base.indices[query.y]);
  if (x && y) data.current = *y * data.x_labels.size() + *x;
}

/** Returns true if a model of these trials can be used: while a session runs, also for a tenth more trials.
 */
bool still_fits(const TrainedSlices& before, const workspace::SourceData& source) {
  if (!before.shown || before.shown->source->id() != source.id()) return false;
  const workspace::SourceData& learnt = *before.shown->source;
  if (learnt.trials.size() == source.trials.size()) return learnt.speeds == source.speeds;
  return source.running() && static_cast<double>(source.trials.size()) <
                                 growth_to_learn_again * static_cast<double>(learnt.trials.size());
}

/** Returns the model of earlier trials if it still fits, else a new one. */
Result<TrainedSlices> trained_on(const Shown& shown, const TrainedSlices& before,
                                 const std::function<bool()>& keep_going) {
  if (still_fits(before, *shown->source)) return before;
  const workspace::SourceData& source = *shown->source;
  analysis::SliceModel model =
      TRY(analysis::SliceModel::learn(source.space(), source.trials, source.flops(), keep_going));
  return TrainedSlices{shown, std::make_shared<const analysis::SliceModel>(std::move(model))};
}

}  // namespace

std::pair<std::size_t, std::size_t> slice_knobs(const space::SearchSpace& space) {
  std::vector<std::size_t> knobs;
  for (std::size_t knob = 0; knob < space.knobs().size() && knobs.size() < 2; ++knob)
    if (space.knobs()[knob].count() > 1) knobs.push_back(knob);
  if (knobs.empty()) return {0, 0};
  return {knobs.front(), knobs.back()};
}

SliceOutcome slices_of(const SliceQuery& query, const TrainedSlices& before,
                       const workspace::JobControl& control) {
  const ShownTrials& shown = *query.shown;
  const space::SearchSpace& space = shown.source->space();
  const auto keep_going = [&control] { return control.proceed(); };
  SliceOutcome outcome{before, {}, {}};
  const auto refuse = [&outcome](const QString& why) {
    outcome.slice.text.notice = outcome.contour.text.notice = why;
    return outcome;
  };
  outcome.slice.text.title =
      figure_text("Slice of %1").arg(QString::fromStdString(space.knobs()[query.x].name()));
  outcome.contour.text.title = figure_text("Contours of %1 and %2")
                                   .arg(QString::fromStdString(space.knobs()[query.x].name()),
                                        QString::fromStdString(space.knobs()[query.y].name()));
  const std::optional<std::int64_t> row = base_row(query);
  if (shown.source->build_only())
    return refuse(figure_text("Build only: no kernel was run, so there is no speed to predict."));
  if (!row)
    return refuse(figure_text("No valid trial yet: there is nothing from which a model could predict."));
  Result<TrainedSlices> trained = trained_on(query.shown, before, keep_going);
  if (!trained) return refuse(QString::fromStdString(describe(trained.error())));
  outcome.trained = std::move(*trained);
  const analysis::SliceModel& model = *outcome.trained.model;
  const space::Configuration base = shown.source->trials.configuration(*row);
  const std::vector<double> measured = corrected_performance(shown);
  const analysis::PerformanceColumn performance{measured, shown.higher_is_better};
  const auto one =
      model.slice({base, query.x, query.x}, shown.source->trials, performance, shown.rows, keep_going);
  if (!one) return outcome;
  outcome.slice.text.of = outcome.contour.text.of = model_text(model);
  outcome.slice.text.caption =
      slice_caption(query, *row, one->x_indices.size(), space.knobs()[query.x].count());
  fill_slice(outcome.slice, query, *one, base);
  if (query.x == query.y) {
    outcome.contour.text.notice = figure_text("Contours need two knobs: choose another second knob.");
    return outcome;
  }
  const auto two =
      model.slice({base, query.x, query.y}, shown.source->trials, performance, shown.rows, keep_going);
  if (!two) return outcome;
  outcome.contour.text.caption =
      slice_caption(query, *row, two->predictions.size(),
                    qint64{space.knobs()[query.x].count()} * space.knobs()[query.y].count());
  outcome.contour.text.caption += QLatin1Char(' ') + figure_text("Each cell is one configuration.");
  fill_contour(outcome.contour, query, *two, base);
  return outcome;
}

namespace {

SliceOutcome default_slices(const Source& source, const workspace::JobControl& control) {
  const auto [x, y] = slice_knobs(source.session->space());
  return slices_of({.shown = source.shown, .x = x, .y = y}, {}, control);
}

std::vector<Figure> slice_figures(const Source& source, const workspace::JobControl& control) {
  return {make_figure<charts::SliceChart>(default_slices(source, control).slice, slice_height)};
}

std::vector<Figure> contour_figures(const Source& source, const workspace::JobControl& control) {
  return {make_figure<charts::HeatMapChart>(default_slices(source, control).contour, contour_height)};
}

}  // namespace

Kind slice_figure_kind() {
  return figure_kind<charts::SliceChart>("slice", Place::Explore, ReportPart::None, slice_figures);
}

Kind contour_figure_kind() {
  return figure_kind<charts::HeatMapChart>("contour", Place::Explore, ReportPart::None, contour_figures);
}

}  // namespace kernelscape::figures
