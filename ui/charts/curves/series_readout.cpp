#include <algorithm>
#include <cmath>

#include "ui/charts/curves/machine_strip.h"
#include "ui/charts/curves/progress_axis.h"
#include "ui/charts/curves/series_chart.h"
#include "ui/charts/curves/series_text.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

double distance(QPointF a, QPointF b) { return std::hypot(a.x() - b.x(), a.y() - b.y()); }

}  // namespace

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
