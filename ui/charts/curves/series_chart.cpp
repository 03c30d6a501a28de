#include "ui/charts/curves/series_chart.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/charts/curves/machine_strip.h"
#include "ui/charts/curves/progress_axis.h"
#include "ui/charts/curves/series_text.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double headroom = 0.09;
/** An axis of positive numbers begins at zero, unless the minimum is more than this share of the maximum. */
constexpr double far_from_zero = 0.5;

QString text_of(const std::string& text) { return QString::fromStdString(text); }

}  // namespace

SeriesChart::SeriesChart(QWidget* parent) : XyChart(parent) {
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
    selection_ = {};
    current_row_ = -1;
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
  set_selection(analysis::RowSet(selection_));
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

void SeriesChart::set_current_row(std::int64_t row) {
  current_row_ = row;
  update();
}

void SeriesChart::set_selection(const analysis::RowSet& selection) {
  selection_ = selection;
  selected_.clear();
  selection_.for_each([&](std::int64_t row) {
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

}  // namespace kernelscape::charts
