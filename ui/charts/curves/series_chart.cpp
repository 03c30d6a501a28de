#include "ui/charts/curves/series_chart.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/charts/curves/machine_strip.h"
#include "ui/charts/curves/progress_axis.h"
#include "ui/charts/curves/series_text.h"
#include "ui/charts/legend_line.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double headroom = 0.09;
/** An axis of positive numbers begins at zero, unless the minimum is more than this share of the maximum. */
constexpr double far_from_zero = 0.5;

QString text_of(const std::string& text) { return QString::fromStdString(text); }

/** Opacity of the uncertainty band. */
constexpr float band_opacity = 0.2F;

Ink band_ink() {
  Ink ink = accent_ink();
  ink.role += "-band";
  ink.colour.setAlphaF(band_opacity);
  return ink;
}

double distance(QPointF a, QPointF b) { return std::hypot(a.x() - b.x(), a.y() - b.y()); }

}  // namespace

SeriesChart::SeriesChart(QWidget* parent) : TrialChart(parent) {
  set_title(tr("Tuner series"));
  set_y_scales({AxisScale::Linear, AxisScale::Log10});
  update_home();
}

void SeriesChart::clear() {
  values_.clear();
  measured_.clear();
  corrected_.clear();
  selected_.clear();
  band_.clear();
  steps_.clear();
  failures_.clear();
  span_ = {};
  pairs_ = {};
  quality_.reset();
  arrivals_.clear();
  valued_ = 0;
  last_row_ = -1;
}

void SeriesChart::set_data(SeriesData data) {
  const bool continued = data.continues(data_);
  const bool same_axes = data_.session == data.session && data_.figure == data.figure;
  const bool new_values = !continued || data.series.value_count() > data_.series.value_count();
  // A later reading of the machine's speed can correct earlier trials.
  const bool corrected = trial::earlier_rows_changed(data_.speeds.get(), data.speeds.get());
  data_ = std::move(data);
  if (!continued) {
    clear();
    forget_rows();
    set_readout(std::nullopt);
    take_values(true);
  } else if (corrected) {
    rebuild();
  } else {
    take_values(new_values);
  }
  update_titles();
  update_home();
  if (!same_axes) reset_view();
  // The axes may have changed since the readout was set.
  if (readout() && readout()->row >= 0)
    if (const auto position = position_of(readout()->row)) set_readout(readout_of(readout()->row, *position));
}

void SeriesChart::take_values(bool new_values) {
  const std::int64_t valued_before = valued_;
  arrivals_.take(data_, new_values, [this](const trial::Row& trial, std::int64_t row, double value) {
    append_value(trial, row, value);
  });
  if (valued_ > valued_before) quality_ = pairs_.quality();
}

void SeriesChart::append_value(const trial::Row& trial, std::int64_t row, double value) {
  const double x = point_x(trial, row, x_kind_);
  values_.append(x, scaled(value, y_scale()), static_cast<std::uint32_t>(row));
  span_.add(value);
  if (data_.figure.steps) steps_.append(x, value);
  if (const double deviation = data_.deviation(trial); deviation > 0) {
    band_.append(x, value - deviation, value + deviation);
    span_.add(value + deviation);
    // A speed cannot be negative: a band that extends below zero does not widen the axis.
    span_.add(std::max(value - deviation, std::min(value, 0.0)));
  }
  ++valued_;
  last_row_ = std::max(last_row_, row);
  if (predicts()) append_measured(trial, row, value);
}

void SeriesChart::append_measured(const trial::Row& trial, std::int64_t row, double value) {
  if (trial.category != trial::ErrorCategory::NoError) return failures_.append(trial, row);
  const double measured = data_.measured(trial);
  pairs_.add(value, measured);
  if (!estimates()) return;
  const QPointF point(point_x(trial, row, x_kind_), scaled(measured, y_scale()));
  measured_.append(point.x(), point.y(), static_cast<std::uint32_t>(row));
  if (is_corrected(trial)) corrected_.append(point.x(), point.y(), static_cast<std::uint32_t>(row));
  span_.add(measured);
}

void SeriesChart::rebuild() {
  clear();
  take_values(true);
  selection_changed();
}

void SeriesChart::set_x(ProgressX x) {
  if (x == x_kind_) return;
  x_kind_ = x;
  rebuild();
  update_home();
  reset_view();
}

void SeriesChart::home_changed() {
  rebuild();
  update_home();
}

void SeriesChart::selection_changed() {
  selected_.clear();
  selection().for_each([&](std::int64_t row) {
    if (row >= data_.trials.size()) return;
    const trial::Row trial = data_.trials.row(row);
    if (const double value = data_.value(trial); !std::isnan(value))
      selected_.append(point_x(trial, row, x_kind_), scaled(value, y_scale()),
                       static_cast<std::uint32_t>(row));
  });
  invalidate();
}

void SeriesChart::update_titles() {
  QStringList of;
  if (data_.passing.filters()) of.append(passing_text(data_.passing, data_.trials.size()));
  if (quality_) {
    of.append(tr("rank correlation %1 (%2%3 valid trials)")
                  .arg(style::format_number(quality_->tau, 2), quality_->all ? QString() : tr("latest "),
                       style::format_count(quality_->trials)));
  }
  set_title(text_of(data_.figure.title), of.join(QStringLiteral(" · ")));
}

Interval SeriesChart::home_of_y() const {
  const bool linear = y_scale() == AxisScale::Linear;
  if (span_.empty()) return linear ? Interval{0, 1} : Interval{1, 10};
  Interval range = show_all() ? span_.all() : span_.robust();
  if (!linear) return padded_range(range, y_scale(), headroom);
  const bool shares = data_.figure.share && range.high <= 1;
  const bool from_zero = range.low >= 0 && (shares || range.low < far_from_zero * range.high);
  range = padded_range(range, y_scale(), headroom);
  if (from_zero) range.low = 0;
  if (shares) range.high = std::min(range.high, 1.0);
  return range;
}

void SeriesChart::update_home() {
  Axis y;
  y.title = estimates() ? tr("performance") : text_of(data_.figure.title);
  y.unit = text_of(data_.figure.unit);
  y.scale = y_scale();
  y.range = home_of_y();
  set_robust(span_.robust() != span_.all());
  set_home(progress_axis(x_kind_, progress_end(data_.trials, data_.session_seconds, x_kind_)), y);
  set_shaded(slow_phase_label(), shaded_phases(data_.speeds.get(), x_kind_));
  if (auto lanes = failures_.take_changed()) set_lanes(std::move(*lanes));
}

QString SeriesChart::summary() const {
  if (valued_ == 0) return tr("no value yet");
  const Interval all = span_.all();
  QString text =
      tr("%1 of %2 trials, %3 to %4")
          .arg(style::format_count(valued_), style::format_count(data_.trials.size()),
               series_value_text(data_.figure, all.low), series_value_text(data_.figure, all.high));
  if (quality_) text += tr(", rank correlation %1").arg(style::format_number(quality_->tau, 2));
  return text;
}

QString SeriesChart::explanation() const {
  QString text = text_of(data_.figure.meaning);
  if (text.isEmpty()) text = tr("The tuner reported \"%1\" for its trials.").arg(text_of(data_.figure.name));
  if (data_.figure.from_trials) return text;
  text +=
      tr("\n\nThe value is from the time when the trial was proposed, before it was measured; trials without "
         "a value (before the first model, or drawn at random) have no mark.");
  if (data_.figure.steps) text += tr(" The line shows that a value holds until it changes.");
  if (estimates())
    text +=
        tr(" Grey dots are the measured values of these trials; the faint bars are one standard deviation to "
           "either side, if the tuner reports it. Failed trials have no measured value: they stand in lanes "
           "below the axis, with the letter of their category and their prediction above. Measured values "
           "of trials in slow phases of the machine are corrected, as the tuner saw them.");
  if (predicts())
    text +=
        tr("\n\nThe rank correlation is Kendall's tau-b of the values and the measured speeds, over the "
           "valid trials that have both, at most the latest %1: 1 if the model orders every pair correctly, "
           "0 if it is no better than random. The tuner chose these trials because of their high "
           "predictions: over configurations drawn at random the correlation may be higher or lower.")
            .arg(style::format_count(static_cast<std::int64_t>(analysis::PredictionPairs::max_pairs)));
  return text;
}

Table SeriesChart::table() const {
  const analysis::SeriesFigure& figure = data_.figure;
  const auto column = [](const std::string& name, const std::string& unit) {
    return unit.empty() ? name : name + " (" + unit + ")";
  };
  const bool with_deviation = !figure.deviation.empty();
  Table table{{"row", "trial", "category", "session time (s)", column(figure.name, figure.unit)}, {}};
  if (with_deviation) table.columns.push_back(column(figure.deviation, figure.unit));
  table.columns.emplace_back(data_.flops > 0 ? "measured (GFLOPS)" : "measured (calls/s)");
  if (data_.speeds) add_machine_columns(table);
  table.rows.reserve(static_cast<std::size_t>(data_.trials.size()));
  for (std::int64_t row = 0; row < data_.trials.size(); ++row) {
    const trial::Row trial = data_.trials.row(row);
    std::vector<Cell> cells{static_cast<double>(row), static_cast<double>(trial.number),
                            std::string(trial::to_string(trial.category)), trial.finished_seconds,
                            data_.value(trial)};
    if (with_deviation) cells.emplace_back(data_.deviation(trial));
    cells.emplace_back(data_.measured(trial));
    if (data_.speeds) add_machine_cells(cells, trial);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

void SeriesChart::paint_data(Canvas& canvas, const PlotFrame& frame) {
  band_.paint(canvas, frame, band_ink());
  measured_.paint(canvas, frame, muted_ink(), interacting());
  corrected_.paint(canvas, frame, corrected_ink(), interacting());
  if (data_.figure.steps) {
    const PlotSeries line = PlotLine{steps_.points(frame), {accent_ink(), 2.5}, 1.25, true};
    paint_series(canvas, frame, std::span(&line, 1));
  } else {
    values_.paint(canvas, frame, accent_ink(), interacting());
  }
  paint_interruptions(canvas, frame, data_.trials, data_.interruption_seconds, x_kind_);
  selected_.paint(canvas, frame, marked_ink(), interacting(), selected_opacity);
}

void SeriesChart::paint_around(Canvas& canvas, const PlotFrame& frame) {
  failures_.paint(canvas, frame, x_kind_);
  std::vector<LegendEntry> entries;
  if (estimates()) entries = {{tr("predicted"), accent_ink()}, {tr("measured"), muted_ink()}};
  if (corrected_.size() > 0) entries.push_back({corrected_label(), corrected_ink()});
  if (estimates() && !data_.figure.deviation.empty())
    entries.push_back({tr("± deviation"), band_ink(), LegendMark::UprightBar});
  paint_legend(canvas, frame, std::move(entries));
}

/** Paints the current trial: a ring around its value, connected to its measured value. */
void SeriesChart::paint_plot_overlay(Canvas& canvas, const PlotFrame& frame) {
  const auto position = position_of(current_row());
  if (!position) return;
  if (const auto measured = measured_position_of(current_row()); measured && estimates()) {
    canvas.line(*position, {measured->x(), std::min(measured->y(), frame.plot.bottom())},
                {text_ink(), 1, {}});
    canvas.ring(*measured, 4, {text_ink(), 1.5, {}});
  }
  paint_current(canvas, *position);
}

std::optional<QPointF> SeriesChart::position_of(std::int64_t row) const {
  if (row < 0 || row >= data_.trials.size()) return std::nullopt;
  const trial::Row trial = data_.trials.row(row);
  const PlotFrame shown = frame();
  const QPointF position = shown.map(point_x(trial, row, x_kind_), data_.value(trial));
  return std::isfinite(position.x()) && std::isfinite(position.y()) ? std::optional(position) : std::nullopt;
}

std::optional<QPointF> SeriesChart::measured_position_of(std::int64_t row) const {
  if (!predicts() || row < 0 || row >= data_.trials.size()) return std::nullopt;
  const trial::Row trial = data_.trials.row(row);
  if (std::isnan(data_.value(trial))) return std::nullopt;
  const PlotFrame shown = frame();
  const double x = shown.map_x(point_x(trial, row, x_kind_));
  if (trial.category != trial::ErrorCategory::NoError) {
    const std::optional<double> y = failures_.y_of(shown, trial.category);
    return y ? std::optional(QPointF(x, *y)) : std::nullopt;
  }
  const double y = shown.map_y(data_.measured(trial));
  return estimates() && std::isfinite(y) ? std::optional(QPointF(x, y)) : std::nullopt;
}

Readout SeriesChart::readout_of(std::int64_t row, QPointF position) const {
  const trial::Row trial = data_.trials.row(row);
  Readout readout{position, series_lines(data_, trial), row};
  if (data_.figure.from_trials)
    readout.lines.append(tr("%1 samples were taken").arg(style::format_count(trial.sample_count)));
  readout.lines.append(point_text(trial));
  if (const QString phase = worker_phase_text(data_.speeds.get(), trial, row); !phase.isEmpty())
    readout.lines.append(phase);
  return readout;
}

std::optional<Readout> SeriesChart::readout_at(QPointF position) const {
  const PlotFrame shown = frame();
  if (failures_.cover(shown, position)) {
    const auto failure = failures_.nearest(shown, position, x_kind_, reach_pixels);
    return failure ? std::optional(readout_of(failure->row, failure->position)) : std::nullopt;
  }
  if (!shown.plot.contains(position)) return std::nullopt;
  const std::int64_t row = values_.nearest(shown, position, reach_pixels);
  const std::int64_t other = measured_.nearest(shown, position, reach_pixels);
  const auto value = position_of(row);
  const auto measured = measured_position_of(other);
  if (measured && (!value || distance(*measured, position) < distance(*value, position)))
    return readout_of(other, *measured);
  return value ? std::optional(readout_of(row, *value)) : shaded_readout_at(position);
}

std::vector<qint64> SeriesChart::rows_in(const QRectF& rectangle) const {
  const PlotFrame shown = frame();
  std::vector<qint64> rows = values_.rows_in(shown, rectangle);
  const std::vector<qint64> measured = measured_.rows_in(shown, rectangle);
  rows.insert(rows.end(), measured.begin(), measured.end());
  std::ranges::sort(rows);
  rows.erase(std::ranges::unique(rows).begin(), rows.end());
  return rows;
}

bool SeriesChart::has_value(std::int64_t row) const {
  return data_.passing.holds(row) && std::isfinite(scaled(data_.value(data_.trials.row(row)), y_scale()));
}

std::optional<Readout> SeriesChart::step_readout(const std::optional<Readout>& from,
                                                 Qt::Key direction) const {
  if (last_row_ < 0) return std::nullopt;
  // A shaded interval has a readout, but no row to go on from.
  if (from && from->row < 0) return step_readout(std::nullopt, direction);
  const RowShown shown = [this](std::int64_t row) { return has_value(row); };
  const std::int64_t row = from ? stepped_row(data_.trials, from->row, direction, shown) : last_row_;
  const auto position = position_of(row);
  return position ? std::optional(readout_of(row, *position)) : std::nullopt;
}

}  // namespace kernelscape::charts
