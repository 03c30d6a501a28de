#include <algorithm>
#include <utility>

#include "ui/charts/curves/machine_strip.h"
#include "ui/charts/curves/progress_axis.h"
#include "ui/charts/curves/series_chart.h"
#include "ui/charts/legend_line.h"
#include "ui/charts/styles.h"

namespace kernelscape::charts {
namespace {

/** Opacity of the uncertainty band. */
constexpr float band_opacity = 0.2F;

Ink band_ink() {
  Ink ink = accent_ink();
  ink.role += "-band";
  ink.colour.setAlphaF(band_opacity);
  return ink;
}

}  // namespace

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
  const auto position = position_of(current_row_);
  if (!position) return;
  if (const auto measured = measured_position_of(current_row_); measured && estimates()) {
    canvas.line(*position, {measured->x(), std::min(measured->y(), frame.plot.bottom())},
                {text_ink(), 1, {}});
    canvas.ring(*measured, 4, {text_ink(), 1.5, {}});
  }
  canvas.ring(*position, 6.5, {surface_ink(), 4, {}});
  canvas.ring(*position, 6.5, {text_ink(), 2, {}});
}

}  // namespace kernelscape::charts
