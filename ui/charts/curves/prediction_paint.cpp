#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/charts/curves/machine_strip.h"
#include "ui/charts/curves/prediction_chart.h"
#include "ui/charts/legend_line.h"
#include "ui/charts/styles.h"

namespace kernelscape::charts {
namespace {

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
  const auto position = place_in(frame, current_row_);
  if (!position) return;
  paint_deviation(canvas, frame, current_row_, stroke);
  canvas.ring(*position, 6.5, {surface_ink(), 4, {}});
  canvas.ring(*position, 6.5, {text_ink(), 2, {}});
}

}  // namespace kernelscape::charts
