#include <QKeyEvent>
#include <QMenu>
#include <algorithm>
#include <cmath>

#include "core/analysis/trial_value.h"
#include "ui/charts/curves/machine_strip.h"
#include "ui/charts/curves/progress_axis.h"
#include "ui/charts/curves/progress_chart.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

/**
 * The user usually aims at trials of the best-so-far line: within this distance they take precedence over
 * nearer dots.
 */
constexpr double improvement_reach_pixels = 7;

}  // namespace

std::optional<QPointF> ProgressChart::position_of(std::int64_t row) const {
  if (row < 0 || row >= data_.trials.size()) return std::nullopt;
  const trial::Row trial = data_.trials.row(row);
  const PlotFrame shown = frame();
  const double x = shown.map_x(x_of(trial, row));
  if (trial.category == trial::ErrorCategory::NoError) {
    const QPointF position(x, shown.map_y(y_of(trial.median_seconds)));
    return std::isfinite(position.y()) ? std::optional(position) : std::nullopt;
  }
  const std::optional<double> y = failures_.y_of(shown, trial.category);
  return y ? std::optional(QPointF(x, *y)) : std::nullopt;
}

Readout ProgressChart::readout_of(std::int64_t row, QPointF position) const {
  const trial::Row trial = data_.trials.row(row);
  Readout readout{position, {}, row};
  const QString name = tr("trial %1").arg(style::format_count(trial.number));
  if (trial.category != trial::ErrorCategory::NoError) {
    const std::string_view category = trial::to_string(trial.category);
    readout.lines.append(name + QStringLiteral(": ") +
                         QString::fromLatin1(category.data(), static_cast<qsizetype>(category.size())));
  } else {
    const auto time = [](double seconds) { return style::format_quantity(seconds, QStringLiteral("s")); };
    const analysis::TrialValue value = analysis::trial_value(trial);
    QString spread = time(value.seconds);
    if (value.has_own_quartiles())
      spread += QStringLiteral(" (%1 to %2)").arg(time(value.samples.first), time(value.samples.third));
    const bool speed = data_.flops > 0;
    const QString gflops =
        style::format_quantity(data_.flops / trial.median_seconds / 1e9, QStringLiteral("GFLOPS"));
    readout.lines.append(name + QStringLiteral(": ") + (speed ? gflops : time(trial.median_seconds)));
    if (value.kind != trial::ObjectiveKind::Median)
      spread += QStringLiteral(", ") + QString::fromStdString(analysis::objective_text(value.kind));
    readout.lines.append(spread);
    if (value.kind != trial::ObjectiveKind::Median && value.samples.count > 0)
      readout.lines.append(QString::fromStdString(analysis::samples_text(value.samples)));
  }
  readout.lines.append(point_text(trial));
  if (const QString phase = worker_phase_text(data_.speeds.get(), trial, row); !phase.isEmpty())
    readout.lines.append(phase);
  // Trials measured in parallel may finish in another order than they were proposed in.
  if (trial.number != row) readout.lines.append(tr("finished as number %1").arg(style::format_count(row)));
  return readout;
}

/** Returns the readout of the trial at this x, and of its slow phase if it is in one. */
std::optional<Readout> ProgressChart::strip_readout_at(const PlotFrame& shown, QPointF position) const {
  std::optional<std::int64_t> nearest;
  double least = reach_pixels;
  for (std::int64_t row = 0; row < data_.trials.size(); ++row) {
    const double distance = std::abs(shown.map_x(x_of(data_.trials.row(row), row)) - position.x());
    if (distance > least) continue;
    least = distance;
    nearest = row;
  }
  const std::optional<Readout> phase = shaded_readout_at(position);
  if (!nearest) return phase;
  const trial::Row trial = data_.trials.row(*nearest);
  const auto place = strip_position(shown, trial, *nearest, x_kind_);
  if (!place) return phase;
  // Without a row, so that new data do not move the readout into the plot.
  Readout readout{*place, phase ? phase->lines : QStringList()};
  if (const QString of_worker = worker_phase_text(data_.speeds.get(), trial, *nearest); !of_worker.isEmpty())
    readout.lines.append(of_worker);
  readout.lines.append(tr("trial %1: %2")
                           .arg(style::format_count(trial.number),
                                QString::fromStdString(trial::machine_speed_text(trial.machine.speed))));
  return readout;
}

std::optional<Readout> ProgressChart::readout_at(QPointF position) const {
  const PlotFrame shown = frame();
  if (shown.strip.contains(position)) return strip_readout_at(shown, position);
  if (failures_.cover(shown, position)) {
    const auto failure = failures_.nearest(shown, position, x_kind_, reach_pixels);
    return failure ? std::optional(readout_of(failure->row, failure->position)) : std::nullopt;
  }
  if (!shown.plot.contains(position)) return std::nullopt;
  std::int64_t row = -1;
  double least = improvement_reach_pixels;
  for (const analysis::ImprovementPoint& point : data_.improvements) {
    const QPointF way = shown.map(x_of(point), y_of(point.median_seconds)) - position;
    const double distance = std::hypot(way.x(), way.y());
    if (!(distance <= least)) continue;
    least = distance;
    row = point.row;
  }
  if (row < 0) row = points_.nearest(shown, position, reach_pixels);
  const auto found = position_of(row);
  return found ? std::optional(readout_of(row, *found)) : shaded_readout_at(position);
}

std::vector<qint64> ProgressChart::rows_in(const QRectF& rectangle) const {
  std::vector<qint64> rows = points_.rows_in(frame(), rectangle);
  std::ranges::sort(rows);
  return rows;
}

std::optional<Readout> ProgressChart::step_readout(const std::optional<Readout>& from,
                                                   Qt::Key direction) const {
  const std::int64_t size = data_.trials.size();
  if (size == 0) return std::nullopt;
  // A shaded interval has a readout, but no row to go on from.
  if (from && from->row < 0) return step_readout(std::nullopt, direction);
  std::int64_t row = from ? from->row : best_row().value_or(size - 1);
  const auto& improvements = data_.improvements;
  const bool level = direction == Qt::Key_Left || direction == Qt::Key_Right;
  if (from && level) {
    const std::int64_t step = direction == Qt::Key_Left ? -1 : 1;
    std::int64_t next = row + step;
    while (next >= 0 && next < size && !data_.passing.holds(next)) next += step;
    if (next >= 0 && next < size) row = next;
  }
  if (from && direction == Qt::Key_Up) {
    const auto next = std::ranges::upper_bound(improvements, row, {}, &analysis::ImprovementPoint::row);
    if (next != improvements.end()) row = next->row;
  }
  if (from && direction == Qt::Key_Down) {
    const auto next = std::ranges::lower_bound(improvements, row, {}, &analysis::ImprovementPoint::row);
    if (next != improvements.begin()) row = std::prev(next)->row;
  }
  const auto position = position_of(row);
  return position ? std::optional(readout_of(row, *position)) : std::nullopt;
}

std::optional<std::int64_t> ProgressChart::best_row() const {
  if (data_.confirmed) return data_.confirmed->row;
  if (data_.improvements.empty()) return std::nullopt;
  return data_.improvements.back().row;
}

void ProgressChart::go_to_best() {
  const auto row = best_row();
  const auto position = row ? position_of(*row) : std::nullopt;
  if (!position) return;
  const Readout best = readout_of(*row, *position);
  set_readout(best);
  activate(best);
}

void ProgressChart::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_B && event->modifiers() == Qt::NoModifier) return go_to_best();
  XyChart::keyPressEvent(event);
}

void ProgressChart::extend_menu(QMenu& menu) {
  const auto add_choice = [&](const QString& text, bool on, const auto& change) {
    QAction* action = menu.addAction(text, this, change);
    action->setCheckable(true);
    action->setChecked(on);
  };
  add_choice(tr("Against trials"), x_kind_ == ProgressX::Trials, [this] { set_x(ProgressX::Trials); });
  add_choice(tr("Against session time"), x_kind_ == ProgressX::Seconds,
             [this] { set_x(ProgressX::Seconds); });
  menu.addSeparator();
  if (data_.flops > 0) {
    add_choice(tr("Speed in GFLOPS"), y_kind_ == ProgressY::Gflops, [this] { set_y(ProgressY::Gflops); });
    add_choice(tr("Time per call"), y_kind_ == ProgressY::Milliseconds,
               [this] { set_y(ProgressY::Milliseconds); });
    menu.addSeparator();
  }
  menu.addAction(tr("Go to the best trial\tB"), this, &ProgressChart::go_to_best);
  XyChart::extend_menu(menu);
}

}  // namespace kernelscape::charts
