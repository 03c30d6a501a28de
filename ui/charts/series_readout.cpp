#include <algorithm>
#include <cmath>

#include "ui/charts/part_looks.h"
#include "ui/charts/series_chart.h"
#include "ui/charts/session_course.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

constexpr double reach_pixels = 10;

QString quantity(double value, const QString& unit) {
  return unit.isEmpty() ? format_number(value) : format_quantity(value, unit);
}

double distance(QPointF a, QPointF b) { return std::hypot(a.x() - b.x(), a.y() - b.y()); }

}  // namespace

std::optional<QPointF> SeriesChart::position_of(std::int64_t row) const {
  if (row < 0 || row >= data_.trials.size()) return std::nullopt;
  const TrialRow trial = data_.trials.row(row);
  const PlotFrame shown = frame();
  const QPointF position = shown.map(course_x(trial, row, x_kind_), value_of(trial));
  return std::isfinite(position.x()) && std::isfinite(position.y()) ? std::optional(position) : std::nullopt;
}

std::optional<QPointF> SeriesChart::measured_position_of(std::int64_t row) const {
  if (!predicts() || row < 0 || row >= data_.trials.size()) return std::nullopt;
  const TrialRow trial = data_.trials.row(row);
  if (std::isnan(value_of(trial))) return std::nullopt;
  const PlotFrame shown = frame();
  const double x = shown.map_x(course_x(trial, row, x_kind_));
  if (trial.category != ErrorCategory::NoError) {
    const std::optional<double> y = failures_.y_of(shown, trial.category);
    return y ? std::optional(QPointF(x, *y)) : std::nullopt;
  }
  const double y = shown.map_y(measured_of(trial));
  return estimates() && std::isfinite(y) ? std::optional(QPointF(x, y)) : std::nullopt;
}

QString SeriesChart::value_text(double value) const {
  return quantity(value, QString::fromStdString(data_.figure.unit));
}

QString SeriesChart::measured_text(double value) const {
  return format_quantity(value, data_.flops > 0 ? QStringLiteral("GFLOPS") : QStringLiteral("calls/s"));
}

Readout SeriesChart::readout_of(std::int64_t row, QPointF position) const {
  const TrialRow trial = data_.trials.row(row);
  const double value = value_of(trial);
  QString shown = std::isnan(value) ? tr("no value") : value_text(value);
  if (const double deviation = deviation_of(trial); std::isfinite(deviation))
    shown += tr(" ± %1").arg(value_text(deviation));
  const QString name = tr("trial %1").arg(format_count(trial.number));
  Readout readout{position, {}, row};
  readout.lines.append(estimates() ? tr("%1: predicted %2").arg(name, shown) : tr("%1: %2").arg(name, shown));
  if (const double measured = measured_of(trial); std::isfinite(measured)) {
    QString line = tr("measured %1").arg(measured_text(measured));
    const double error = (value - measured) / measured;
    if (estimates() && std::isfinite(error))
      line += tr(", predicted %1 too %2")
                  .arg(format_percent(std::abs(error)), error < 0 ? tr("low") : tr("high"));
    readout.lines.append(line);
  } else if (trial.category != ErrorCategory::NoError) {
    readout.lines.append(tr("failed: %1").arg(category_name(trial.category)));
  }
  if (data_.figure.from_trials)
    readout.lines.append(tr("%1 samples were taken").arg(format_count(trial.sample_count)));
  readout.lines.append(course_text(trial));
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
  return value ? std::optional(readout_of(row, *value)) : std::nullopt;
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

/** The next row with a value in the direction of `step`; the row itself where there is none. */
std::int64_t SeriesChart::neighbour(std::int64_t row, int step) const {
  for (std::int64_t next = row + step; next >= 0 && next < data_.trials.size(); next += step)
    if (std::isfinite(scaled(value_of(data_.trials.row(next)), y_scale()))) return next;
  return row;
}

/** The first row with a value that belongs to another batch in the direction of `step`. */
std::int64_t SeriesChart::in_other_batch(std::int64_t row, int step) const {
  const std::int32_t batch = data_.trials.row(row).batch;
  for (std::int64_t next = neighbour(row, step), last = row; next != last; next = neighbour(next, step)) {
    if (data_.trials.row(next).batch != batch) return next;
    last = next;
  }
  return row;
}

std::optional<Readout> SeriesChart::step_readout(const std::optional<Readout>& from,
                                                 Qt::Key direction) const {
  if (last_row_ < 0) return std::nullopt;
  std::int64_t row = from ? from->row : last_row_;
  if (from && direction == Qt::Key_Left) row = neighbour(row, -1);
  if (from && direction == Qt::Key_Right) row = neighbour(row, 1);
  if (from && direction == Qt::Key_Up) row = in_other_batch(row, 1);
  if (from && direction == Qt::Key_Down) row = in_other_batch(row, -1);
  const auto position = position_of(row);
  return position ? std::optional(readout_of(row, *position)) : std::nullopt;
}

}  // namespace kernelscape
