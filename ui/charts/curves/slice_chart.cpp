#include "ui/charts/curves/slice_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "ui/charts/curves/machine_strip.h"
#include "ui/charts/legend_line.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double prediction_radius = 2.5;
constexpr double measured_radius = 4;
/** Dots of more values would hide the line. */
constexpr std::size_t max_prediction_dots = 64;
constexpr float deviation_opacity = 0.2F;

Ink deviation_ink() {
  Ink ink{"deviation", style::colours().accent};
  ink.colour.setAlphaF(deviation_opacity);
  return ink;
}

double value_place(std::size_t value) { return static_cast<double>(value); }

}  // namespace

SliceChart::SliceChart(QWidget* parent) : XyChart(parent) {
  set_title(tr("Slice"));
  set_explanation(tr(
      "What the model of the tuner gp predicts for each value of a knob, while all other knobs keep the "
      "values "
      "of one configuration, which the dashed line marks. The band, or the bars if the values have no order, "
      "is one standard deviation of a single measurement: a wide band says that the model knows little "
      "there. "
      "Gaps are values that are infeasible with the other knobs. Dots are measured trials of exactly these "
      "configurations; a click selects the trial. Times of trials in slow phases of the machine are "
      "corrected, as the model saw them.\n\nThe model is a Gaussian process that is fitted to the session's "
      "trials (of thousands, to the best and to random trials). A slice shows one direction only: "
      "with other values of the other knobs it may look different. Far from all trials the model predicts "
      "their mean. Slices are also shown by optuna-dashboard, there of the trials instead of a model."));
}

void SliceChart::set_data(SliceData data) {
  const bool same_values = data.knob == data_.knob && data.labels == data_.labels;
  data_ = std::move(data);
  set_axes();
  if (!same_values) reset_view();
  set_readout(std::nullopt);
}

void SliceChart::set_axes() {
  Axis x{.title = data_.knob, .range = {-0.5, std::max(0.5, value_place(data_.labels.size()) - 0.5)}};
  for (std::size_t value = 0; value < data_.labels.size(); ++value)
    x.named.push_back({value_place(value), data_.labels[value], true});
  Interval y{std::numeric_limits<double>::infinity(), 0};
  const auto include = [&y](double value) { y = {std::min(y.low, value), std::max(y.high, value)}; };
  for (std::size_t value = 0; value < data_.labels.size(); ++value) {
    const analysis::BelievedCell& prediction = data_.predictions[value];
    if (feasible(value)) {
      include(std::max(0.0, prediction.performance - prediction.deviation));
      include(prediction.performance + prediction.deviation);
    }
    if (data_.measured[value].valid > 0) include(data_.measured[value].best);
  }
  if (!std::isfinite(y.low)) y = {0, 1};
  constexpr double margin = 0.05;
  y = padded_range(y, AxisScale::Linear, margin);
  y.low = std::max(0.0, y.low);
  set_home(std::move(x), {data_.quantity, data_.unit, AxisScale::Linear, y});
}

void SliceChart::paint_data(Canvas& canvas, const PlotFrame& frame) {
  if (data_.base) {
    const double x = frame.map_x(value_place(*data_.base));
    canvas.line({x, frame.plot.top()}, {x, frame.plot.bottom()}, {marked_ink(), 1, {4, 3}});
  }
  paint_predictions(canvas, frame);
  std::vector<QPointF> measured;
  std::vector<QPointF> from_slow_phases;
  for (std::size_t value = 0; value < data_.measured.size(); ++value)
    if (data_.measured[value].valid > 0)
      (corrected(value) ? from_slow_phases : measured)
          .push_back(frame.map(value_place(value), data_.measured[value].best));
  canvas.dots(measured, measured_radius, text_ink());
  canvas.dots(from_slow_phases, measured_radius, corrected_ink());
}

/** Paints a band around a line, with gaps at infeasible values, or bars if the values have no order. */
void SliceChart::paint_predictions(Canvas& canvas, const PlotFrame& frame) {
  constexpr double gap = std::numeric_limits<double>::quiet_NaN();
  PlotArea band{{}, {}, deviation_ink()};
  PlotLine line{.points = {}, .stroke = {accent_ink(), 2, {}}};
  std::vector<QPointF> dots;
  for (std::size_t value = 0; value < data_.predictions.size(); ++value) {
    const analysis::BelievedCell& prediction = data_.predictions[value];
    const double mean = feasible(value) ? prediction.performance : gap;
    const double low = std::max(0.0, mean - prediction.deviation);
    const double high = mean + prediction.deviation;
    line.points.emplace_back(value_place(value), mean);
    band.upper.emplace_back(value_place(value), high);
    band.lower.emplace_back(value_place(value), feasible(value) ? low : gap);
    if (!feasible(value)) continue;
    dots.push_back(frame.map(value_place(value), mean));
    // A value between two infeasible ones has a bar too.
    const bool alone = (value == 0 || !feasible(value - 1)) &&
                       (value + 1 == data_.predictions.size() || !feasible(value + 1));
    if (!data_.ordered || alone)
      canvas.line(frame.map(value_place(value), low), frame.map(value_place(value), high),
                  {accent_ink(), 1.5, {}});
  }
  if (data_.ordered) {
    const std::array<PlotSeries, 2> series{std::move(band), std::move(line)};
    paint_series(canvas, frame, series);
  }
  if (!data_.ordered || dots.size() <= max_prediction_dots)
    canvas.dots(dots, prediction_radius, accent_ink());
}

void SliceChart::paint_around(Canvas& canvas, const PlotFrame& frame) {
  std::vector<LegendEntry> entries{{tr("predicted"), accent_ink(), LegendMark::LevelBar},
                                   {tr("± its standard deviation"), deviation_ink(), LegendMark::UprightBar},
                                   {tr("measured"), text_ink(), LegendMark::Dot}};
  if (std::ranges::any_of(data_.corrected, std::identity()))
    entries.push_back({corrected_label(), corrected_ink(), LegendMark::Dot});
  if (data_.base)
    entries.push_back({tr("the other knobs are those of this one"), marked_ink(), LegendMark::UprightBar});
  paint_legend(canvas, frame, std::move(entries));
}

Readout SliceChart::readout_of(const PlotFrame& frame, std::size_t value) const {
  const analysis::BelievedCell& prediction = data_.predictions[value];
  const analysis::HeatCell& measured = data_.measured[value];
  const double y = feasible(value)      ? prediction.performance
                   : measured.valid > 0 ? measured.best
                                        : frame.y.range.low;
  Readout readout{frame.map(value_place(value), y),
                  {data_.knob + QStringLiteral(" = ") + data_.labels[value]},
                  measured.best_row};
  const auto quantity = [this](double number) { return style::format_quantity(number, data_.unit); };
  readout.lines.append(
      feasible(value)
          ? tr("predicted %1 (± %2)").arg(quantity(prediction.performance), quantity(prediction.deviation))
          : tr("infeasible with the other knobs"));
  if (feasible(value) && prediction.feasibility)
    readout.lines.append(
        tr("probability of being valid %1").arg(style::format_percent(*prediction.feasibility)));
  if (measured.valid > 0) {
    readout.lines.append(
        (corrected(value) ? tr("measured %1, corrected: the machine was slow") : tr("measured %1"))
            .arg(quantity(measured.best)));
  } else if (measured.count > 0) {
    readout.lines.append(tr("measured: failed"));
  }
  return readout;
}

std::optional<Readout> SliceChart::readout_at(QPointF position) const {
  const PlotFrame shown = frame();
  if (!shown.plot.contains(position) || data_.labels.empty()) return std::nullopt;
  const double last = value_place(data_.labels.size() - 1);
  return readout_of(shown,
                    static_cast<std::size_t>(std::clamp(std::round(shown.x_at(position.x())), 0.0, last)));
}

std::optional<Readout> SliceChart::step_readout(const std::optional<Readout>& from, Qt::Key direction) const {
  if (data_.labels.empty()) return std::nullopt;
  const PlotFrame shown = frame();
  if (!from) return readout_of(shown, data_.base.value_or(best().value_or(0)));
  const double last = value_place(data_.labels.size() - 1);
  const double step = direction == Qt::Key_Left || direction == Qt::Key_Down ? -1 : 1;
  const double next = std::clamp(std::round(shown.x_at(from->position.x())) + step, 0.0, last);
  return readout_of(shown, static_cast<std::size_t>(next));
}

/** Returns the value with the best prediction; nullopt if all are infeasible. */
std::optional<std::size_t> SliceChart::best() const {
  std::optional<std::size_t> best;
  for (std::size_t value = 0; value < data_.predictions.size(); ++value) {
    if (!feasible(value)) continue;
    const double performance = data_.predictions[value].performance;
    if (!best || (data_.higher_is_better ? performance > data_.predictions[*best].performance
                                         : performance < data_.predictions[*best].performance))
      best = value;
  }
  return best;
}

Table SliceChart::table() const {
  const std::string unit = " (" + data_.unit.toStdString() + ")";
  Table table{{data_.knob.toStdString(), "predicted" + unit, "deviation" + unit, "probability of being valid",
               "measured" + unit, "corrected"},
              {}};
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t value = 0; value < data_.labels.size(); ++value) {
    const analysis::BelievedCell& prediction = data_.predictions[value];
    table.rows.push_back({data_.labels[value].toStdString(), feasible(value) ? prediction.performance : none,
                          feasible(value) ? prediction.deviation : none,
                          prediction.feasibility.value_or(none),
                          data_.measured[value].valid > 0 ? data_.measured[value].best : none,
                          std::string(corrected(value) ? "yes" : "no")});
  }
  return table;
}

QString SliceChart::summary() const {
  const std::optional<std::size_t> value = best();
  if (!value) return {};
  return tr("best prediction %1 at %2")
      .arg(style::format_quantity(data_.predictions[*value].performance, data_.unit), data_.labels[*value]);
}

}  // namespace kernelscape::charts
