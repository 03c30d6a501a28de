#include "ui/charts/curves/prediction_chart.h"

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

constexpr double prediction_headroom = 0.06;
/** Axes begin at zero, unless the minimum is more than this share of the maximum. */
constexpr double far_prediction = 0.5;

/** Opacity of the deviation bars. */
constexpr float bar_opacity = 0.35F;
constexpr double latest_radius = 3.5;
/** Maximum share of the plot's height for text above it. */
constexpr double max_of_the_room = 0.25;
/** Narrower plots have no room for text in two corners. */
constexpr double min_width_for_words = 400;

Ink bar_ink() {
  Ink ink = accent_ink();
  ink.role += "-bar";
  ink.colour.setAlphaF(bar_opacity);
  return ink;
}

}  // namespace

PredictionChart::PredictionChart(QWidget* parent) : TrialChart(parent) {
  set_y_scales({AxisScale::Linear, AxisScale::Log10});
  set_title(tr("Predicted against measured"));
  update_home();
}

void PredictionChart::clear() {
  arrivals_.clear();
  points_.clear();
  selected_.clear();
  corrected_.clear();
  failures_.clear();
  span_ = {};
  pairs_ = {};
  quality_.reset();
  counts_ = {};
  few_.clear();
  latest_.clear();
  latest_number_ = -1;
  last_row_ = -1;
}

void PredictionChart::set_data(SeriesData data) {
  const bool continued = data.continues(data_);
  const bool new_values = !continued || data.series.value_count() > data_.series.value_count();
  // A later reading of the machine's speed can correct earlier trials.
  const bool corrected = trial::earlier_rows_changed(data_.speeds.get(), data.speeds.get());
  data_ = std::move(data);
  if (!continued) {
    clear();
    forget_rows();
    set_readout(std::nullopt);
  } else if (corrected) {
    clear();
  }
  take_values(new_values || corrected);
  // Only now, since it updates the accessible name, which says what was taken.
  if (continued && corrected) selection_changed();
  update_home();
  if (!continued) reset_view();
  // The axes may have changed since the readout was set.
  if (readout() && readout()->row >= 0)
    if (const auto position = position_of(readout()->row)) set_readout(readout_of(readout()->row, *position));
}

void PredictionChart::take_values(bool new_values) {
  const std::int64_t last_before = last_row_;
  arrivals_.take(data_, new_values, [this](const trial::Row& trial, std::int64_t row, double predicted) {
    append(trial, row, predicted);
  });
  if (last_row_ != last_before) quality_ = pairs_.quality();
}

void PredictionChart::append(const trial::Row& trial, std::int64_t row, double predicted) {
  if (!std::isfinite(scaled(predicted, y_scale()))) return;
  if (trial.category != trial::ErrorCategory::NoError) {
    failures_.append_at(predicted, trial.category, row);
    span_.add(predicted);
    last_row_ = std::max(last_row_, row);
    return;
  }
  const double measured = data_.measured(trial);
  if (std::isnan(measured)) return;
  span_.add(predicted);
  span_.add(measured);
  pairs_.add(predicted, measured);
  counts_.add(predicted, data_.deviation(trial), measured);
  const QPointF point(scaled(predicted, y_scale()), scaled(measured, y_scale()));
  points_.append(point.x(), point.y(), static_cast<std::uint32_t>(row));
  if (is_corrected(trial)) corrected_.append(point.x(), point.y(), static_cast<std::uint32_t>(row));
  if (few_.size() <= max_bars) few_.push_back(row);
  last_row_ = std::max(last_row_, row);
  if (!data_.proposed) return;
  if (trial.batch > latest_number_) latest_.clear();
  latest_number_ = std::max(latest_number_, trial.batch);
  if (trial.batch == latest_number_) latest_.push_back(row);
}

void PredictionChart::home_changed() {
  clear();
  take_values(true);
  selection_changed();
  update_home();
}

void PredictionChart::selection_changed() {
  selected_.clear();
  selection().for_each([this](std::int64_t row) {
    if (row >= data_.trials.size()) return;
    const trial::Row trial = data_.trials.row(row);
    const double predicted = data_.value(trial);
    const double measured = data_.measured(trial);
    if (std::isfinite(predicted) && std::isfinite(measured))
      selected_.append(scaled(predicted, y_scale()), scaled(measured, y_scale()),
                       static_cast<std::uint32_t>(row));
  });
  invalidate();
}

QStringList PredictionChart::statistics() const {
  QStringList lines;
  if (quality_)
    lines.append(tr("rank correlation %1 (%2%3 valid trials)")
                     .arg(style::format_number(quality_->tau, 2), quality_->all ? QString() : tr("latest "),
                          style::format_count(quality_->trials)));
  if (const auto share = calibration())
    lines.append(
        tr("calibration: %1 within 1 sd, %2 within 2 sd")
            .arg(style::format_percent(share->within_one), style::format_percent(share->within_two)));
  return lines;
}

Interval PredictionChart::home_range() const {
  const bool linear = y_scale() == AxisScale::Linear;
  if (span_.empty()) return linear ? Interval{0, 1} : Interval{1, 10};
  Interval range = show_all() ? span_.all() : span_.robust();
  const bool from_zero = linear && range.low >= 0 && range.low < far_prediction * range.high;
  range = padded_range(range, y_scale(), prediction_headroom);
  if (from_zero) range.low = 0;
  return range;
}

/** Sets the same range and scale for both axes, so that a correct prediction lies on the diagonal. */
void PredictionChart::update_home() {
  const QString unit = QString::fromStdString(data_.figure.unit);
  const Axis x{.title = tr("predicted"), .unit = unit, .scale = y_scale(), .range = home_range()};
  const Axis y{.title = tr("measured"), .unit = unit, .scale = y_scale(), .range = x.range};
  set_robust(span_.robust() != span_.all());
  set_home(x, y);
  if (auto lanes = failures_.take_changed()) set_lanes(std::move(*lanes));
}

std::optional<QPointF> PredictionChart::position_of(std::int64_t row) const { return place_in(frame(), row); }

std::optional<QPointF> PredictionChart::place_in(const PlotFrame& frame, std::int64_t row) const {
  if (row < 0 || row >= data_.trials.size() || !data_.passing.holds(row)) return std::nullopt;
  const trial::Row trial = data_.trials.row(row);
  const double x = frame.map_x(data_.value(trial));
  const std::optional<double> y = trial.category != trial::ErrorCategory::NoError
                                      ? failures_.y_of(frame, trial.category)
                                      : std::optional(frame.map_y(data_.measured(trial)));
  return std::isfinite(x) && y && std::isfinite(*y) ? std::optional(QPointF(x, *y)) : std::nullopt;
}

Readout PredictionChart::readout_of(std::int64_t row, QPointF position) const {
  const trial::Row trial = data_.trials.row(row);
  Readout readout{position, series_lines(data_, trial), row};
  const double off = (data_.measured(trial) - data_.value(trial)) / data_.deviation(trial);
  if (std::isfinite(off))
    readout.lines.append((off < 0 ? tr("%1 standard deviations below the prediction")
                                  : tr("%1 standard deviations above the prediction"))
                             .arg(style::format_number(std::abs(off), 2)));
  if (data_.proposed) readout.lines.append(point_text(trial));
  return readout;
}

std::optional<Readout> PredictionChart::readout_at(QPointF position) const {
  const PlotFrame shown = frame();
  if (failures_.cover(shown, position)) {
    const auto failure = failures_.nearest(shown, position, ProgressX::Trials, reach_pixels);
    return failure ? std::optional(readout_of(failure->row, failure->position)) : std::nullopt;
  }
  if (!shown.plot.contains(position)) return std::nullopt;
  const std::int64_t row = points_.nearest(shown, position, reach_pixels);
  const auto place = position_of(row);
  return place ? std::optional(readout_of(row, *place)) : std::nullopt;
}

std::vector<qint64> PredictionChart::rows_in(const QRectF& rectangle) const {
  std::vector<qint64> rows = points_.rows_in(frame(), rectangle);
  std::ranges::sort(rows);
  return rows;
}

std::optional<Readout> PredictionChart::step_readout(const std::optional<Readout>& from,
                                                     Qt::Key direction) const {
  if (last_row_ < 0) return std::nullopt;
  const RowShown shown = [this](std::int64_t row) { return position_of(row).has_value(); };
  const std::int64_t row = from ? stepped_row(data_.trials, from->row, direction, shown) : last_row_;
  const auto position = position_of(row);
  return position ? std::optional(readout_of(row, *position)) : std::nullopt;
}

QString PredictionChart::summary() const {
  if (last_row_ < 0) return tr("no prediction yet");
  const QStringList parts{
      tr("%1 valid trials").arg(style::format_count(static_cast<std::int64_t>(points_.size())))};
  return (parts + statistics()).join(QStringLiteral(", "));
}

QString PredictionChart::explanation() const {
  if (!data_.proposed)
    return tr(
        "The predictions of a trained predictor for a task's samples on the horizontal axis, against the "
        "measured values on the vertical axis. On the diagonal both are equal; a sample above it was faster "
        "than predicted.\n\nThe rank correlation is Kendall's tau-b: 1 if the predictor orders every pair of "
        "samples correctly, 0 if it is no better than random. Only the order determines which candidates the "
        "tuner one-shot measures (One-Shot Tuner, section 6).");
  QString text =
      tr("The tuner's prediction of a trial on the horizontal axis, against the measured value on the "
         "vertical axis. On the diagonal both are equal; a trial above it was faster than predicted. The "
         "latest batch is coloured. Failed trials stand in lanes below the axis, at their predicted value; "
         "trials without a prediction (before the first model, or drawn at random) are left out.");
  const QString meaning = QString::fromStdString(data_.figure.meaning);
  if (!meaning.isEmpty()) text += QStringLiteral("\n\n") + meaning;
  text +=
      tr("\n\nThe rank correlation is Kendall's tau-b: 1 if the model orders every pair of valid trials "
         "correctly, 0 if it is no better than random.");
  if (!data_.figure.deviation.empty())
    text +=
        tr(" Bars are one standard deviation to either side. If errors are normally distributed and the "
           "deviations correct, 68 % of the valid trials lie within one and 95 % within two standard "
           "deviations; with fewer the model is overconfident.");
  if (corrected_.size() > 0)
    text +=
        tr("\n\nMeasured values of trials in slow phases of the machine are corrected, as the tuner saw "
           "them.");
  return text + tr("\n\nThe tuner chose these trials because of their high predictions, so on average their "
                   "results are further below the prediction than those of configurations drawn at random.");
}

Table PredictionChart::table() const {
  const bool with_deviation = !data_.figure.deviation.empty();
  const std::string unit = data_.figure.unit.empty() ? std::string() : " (" + data_.figure.unit + ")";
  Table table{{"row", "trial", "batch", "category", "predicted" + unit}, {}};
  if (with_deviation) table.columns.push_back("deviation" + unit);
  table.columns.push_back("measured" + unit);
  if (data_.speeds) add_machine_columns(table);
  for (std::int64_t row = 0; row < data_.trials.size(); ++row) {
    const trial::Row trial = data_.trials.row(row);
    const double predicted = data_.value(trial);
    if (std::isnan(predicted)) continue;
    std::vector<Cell> cells{static_cast<double>(row), static_cast<double>(trial.number),
                            static_cast<double>(trial.batch), std::string(trial::to_string(trial.category)),
                            predicted};
    if (with_deviation) cells.emplace_back(data_.deviation(trial));
    cells.emplace_back(data_.measured(trial));
    if (data_.speeds) add_machine_cells(cells, trial);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

void PredictionChart::paint_data(Canvas& canvas, const PlotFrame& frame) {
  paint_diagonal(canvas, frame);
  paint_deviations(canvas, frame);
  points_.paint(canvas, frame, data_.proposed ? muted_ink() : accent_ink(), interacting());
  std::vector<QPointF> centres;
  for (const std::int64_t row : latest_)
    if (const auto position = place_in(frame, row)) centres.push_back(*position);
  canvas.dots(centres, latest_radius + 1, surface_ink());
  canvas.dots(centres, latest_radius, accent_ink());
  corrected_.paint(canvas, frame, corrected_ink(), interacting());
  selected_.paint(canvas, frame, marked_ink(), interacting(), selected_opacity);
}

void PredictionChart::paint_diagonal(Canvas& canvas, const PlotFrame& frame) {
  const Interval x = frame.x.range;
  const Interval y = frame.y.range;
  const double low = std::max(x.low, y.low);
  const double high = std::min(x.high, y.high);
  const PlotSeries diagonal = PlotLine{{{low, low}, {high, high}}, {muted_ink(), 1, {5, 4}}};
  if (low < high) paint_series(canvas, frame, std::span(&diagonal, 1));
  if (frame.plot.width() >= min_width_for_words)
    canvas.text(frame.plot.bottomRight() - QPointF(6, 4), tr("below: slower than predicted"),
                {.ink = muted_ink(), .anchor = Qt::AlignRight | Qt::AlignBottom});
}

QStringList PredictionChart::statistics_lines(double width) const {
  return wrapped(statistics().join(QLatin1Char('\n')), style::TextSize::Small, width);
}

/**
 * Returns the height for the statistics if the chart is too narrow to show them in its title, as beside other
 * charts: inside the plot they would hide points.
 */
double PredictionChart::head_height(QSizeF room) const {
  if (statistics().isEmpty()) return 0;
  const auto lines = static_cast<double>(statistics_lines(room.width()).size());
  const double height = std::ceil(lines * text_height(style::TextSize::Small)) + 2;
  return height <= max_of_the_room * room.height() ? height : 0;
}

void PredictionChart::paint_statistics(Canvas& canvas, const PlotFrame& frame) const {
  if (frame.head <= 0) return;
  double y = frame.plot.top() - frame.head;
  for (const QString& line : statistics_lines(frame.plot.width())) {
    canvas.text({frame.plot.left(), y}, line, {.ink = muted_ink(), .anchor = Qt::AlignLeft | Qt::AlignTop});
    y += text_height(style::TextSize::Small);
  }
}

/** Paints one bar for each trial while there are few, otherwise only for those of the latest batch. */
void PredictionChart::paint_deviations(Canvas& canvas, const PlotFrame& frame) const {
  const std::vector<std::int64_t>& rows = few_.size() <= max_bars ? few_ : latest_;
  const Stroke stroke{bar_ink(), 2, {}};
  for (std::size_t index = 0; index < std::min(rows.size(), max_bars); ++index)
    paint_deviation(canvas, frame, rows[index], stroke);
}

void PredictionChart::paint_deviation(Canvas& canvas, const PlotFrame& frame, std::int64_t row,
                                      const Stroke& stroke) const {
  const auto position = place_in(frame, row);
  if (!position) return;
  const trial::Row trial = data_.trials.row(row);
  const double predicted = data_.value(trial);
  const double deviation = data_.deviation(trial);
  if (!(deviation > 0)) return;
  // A logarithmic axis cannot show a bar that extends below zero.
  const double low = frame.map_x(predicted - deviation);
  const QPointF left(std::isfinite(low) ? low : frame.plot.left(), position->y());
  canvas.line(left, {frame.map_x(predicted + deviation), position->y()}, stroke);
}

void PredictionChart::paint_around(Canvas& canvas, const PlotFrame& frame) {
  paint_statistics(canvas, frame);
  failures_.paint(canvas, frame, ProgressX::Trials);
  if (!data_.proposed) return;
  std::vector<LegendEntry> entries;
  entries.reserve(4);
  entries.push_back({tr("latest batch"), accent_ink()});
  if (!data_.figure.deviation.empty()) entries.push_back({tr("± 1 sd"), bar_ink(), LegendMark::LevelBar});
  entries.push_back({tr("earlier"), muted_ink()});
  if (corrected_.size() > 0) entries.push_back({corrected_label(), corrected_ink()});
  paint_legend_line(canvas, frame, std::move(entries));
}

/** Paints the trial under the mouse and the current trial with the deviation that the tuner reported. */
void PredictionChart::paint_plot_overlay(Canvas& canvas, const PlotFrame& frame) {
  const Stroke stroke{text_ink(), 2, {}};
  if (readout() && readout()->row >= 0) paint_deviation(canvas, frame, readout()->row, stroke);
  const auto position = place_in(frame, current_row());
  if (!position) return;
  paint_deviation(canvas, frame, current_row(), stroke);
  paint_current(canvas, *position);
}

}  // namespace kernelscape::charts
