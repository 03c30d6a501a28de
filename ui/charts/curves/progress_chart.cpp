#include "ui/charts/curves/progress_chart.h"

#include <QKeyEvent>
#include <QMenu>
#include <algorithm>
#include <cmath>

#include "ui/charts/curves/machine_strip.h"
#include "ui/charts/curves/progress_axis.h"
#include "ui/charts/curves/progress_home.h"
#include "ui/charts/curves/progress_painter.h"
#include "ui/charts/curves/progress_table.h"
#include "ui/charts/curves/progress_text.h"
#include "ui/charts/legend_line.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

/** With fewer valid trials all of them are shown. */
constexpr std::int64_t min_robust_trials = 20;

bool is_continued(const ProgressData& old, const ProgressData& now) {
  return old.session == now.session && old.flops == now.flops && now.trials.size() >= old.trials.size();
}

constexpr double faint_opacity = 1;  // opacity of a hairline, for trials that do not pass the filters

/**
 * The user usually aims at trials of the best-so-far line: within this distance they take precedence over
 * nearer dots.
 */
constexpr double improvement_reach_pixels = 7;

/** Paints two strokes across the lower end of an axis that does not start at zero. */
void paint_axis_break(Canvas& canvas, const PlotFrame& frame) {
  const double x = frame.plot.left();
  const double y = frame.plot.bottom() - 8;
  canvas.line({x, y - 2}, {x, y + 2}, {surface_ink(), 3, {}});
  for (const double offset : {-2.0, 2.0})
    canvas.line({x - 5, y + offset + 2}, {x + 5, y + offset - 2}, {text_ink(), 1.5, {}});
}

}  // namespace

ProgressChart::ProgressChart(QWidget* parent) : TrialChart(parent) {
  set_title(tr("Best so far over every trial"));
  set_y_scales({AxisScale::Linear, AxisScale::Log10});
  update_home();
}

void ProgressChart::clear() {
  points_.clear();
  faint_points_.clear();
  selected_points_.clear();
  failures_.clear();
  seconds_sketch_ = {};
  taken_ = 0;
  valid_ = 0;
  forget_rows();
}

void ProgressChart::set_data(ProgressData data) {
  const bool continued = is_continued(data_, data);
  const bool same_filter = data_.passing.filter == data.passing.filter;
  const bool same_speeds = data_.speeds == data.speeds;
  data_ = std::move(data);
  if (!continued) {
    clear();
    set_readout(std::nullopt);
  } else if (!same_filter) {
    rebuild_points();
    set_readout(std::nullopt);
  }
  take_rows(taken_);
  // A rebuild for another filter has marked the trials already.
  if (!continued || (same_filter && !same_speeds)) mark_slow_workers();
  if (auto lanes = failures_.take_changed()) set_lanes(std::move(*lanes));
  update_home();
  // The axes may have changed since the readout was set.
  if (readout() && readout()->row >= 0)
    if (auto moved = readout_of(readout()->row)) set_readout(std::move(moved));
}

ProgressY ProgressChart::y() const { return data_.flops > 0 ? y_kind_ : ProgressY::Milliseconds; }

void ProgressChart::set_x(ProgressX x) {
  if (x == x_kind_) return;
  x_kind_ = x;
  rebuild_points();
  update_home();
  reset_view();
}

void ProgressChart::set_y(ProgressY y) {
  if (y == y_kind_) return;
  y_kind_ = y;
  rebuild_points();
  update_home();
  reset_view();
}

void ProgressChart::home_changed() {
  rebuild_points();
  update_home();
}

void ProgressChart::selection_changed() {
  selected_points_.clear();
  selection().for_each([&](std::int64_t index) {
    if (index < data_.trials.size()) append_point(selected_points_, data_.trials.row(index), index);
  });
  invalidate();
}

void ProgressChart::append_point(PointCloud& cloud, const trial::Row& row, std::int64_t index) const {
  if (has_time(row))
    cloud.append(scale().x_of(row, index), scaled(scale().y_of(row.median_seconds), y_scale()),
                 static_cast<std::uint32_t>(index));
}

void ProgressChart::take_rows(std::int64_t first) {
  for (std::int64_t index = first; index < data_.trials.size(); ++index) {
    const trial::Row row = data_.trials.row(index);
    if (row.category == trial::ErrorCategory::NoError) {
      append_point(data_.passing.holds(index) ? points_ : faint_points_, row, index);
      seconds_sketch_.add(row.median_seconds);
      ++valid_;
      continue;
    }
    take_failure(row, index);
  }
  taken_ = data_.trials.size();
}

void ProgressChart::take_failure(const trial::Row& row, std::int64_t index) {
  if (data_.passing.holds(index)) failures_.append(row, index);
}

void ProgressChart::rebuild_points() {
  points_.clear();
  faint_points_.clear();
  failures_.clear();
  for (std::int64_t index = 0; index < taken_; ++index) {
    const trial::Row row = data_.trials.row(index);
    if (row.category != trial::ErrorCategory::NoError) {
      take_failure(row, index);
    } else {
      append_point(data_.passing.holds(index) ? points_ : faint_points_, row, index);
    }
  }
  mark_slow_workers();
  selection_changed();
}

double ProgressChart::x_end() const { return progress_end(data_.trials, data_.session_seconds, x_kind_); }

void ProgressChart::resizeEvent(QResizeEvent* event) {
  XyChart::resizeEvent(event);
  update_home();  // the room for labels depends on the height
}

void ProgressChart::update_home() {
  double end = x_end();
  for (const GhostCurve& ghost : data_.ghosts) end = std::max(end, scale().end_of(ghost));
  Axis y_axis;
  y_axis.title = y() == ProgressY::Gflops ? tr("speed") : tr("time per call");
  y_axis.unit = y() == ProgressY::Gflops ? QStringLiteral("GFLOPS") : QStringLiteral("ms");
  y_axis.scale = y_scale();
  y_axis.range = progress_home(data_, scale(),
                               {.y_scale = y_scale(),
                                .seconds = seconds_sketch_,
                                .all = show_all() || valid_ < min_robust_trials,
                                .plot_height = frame().plot.height()});
  set_robust(true);
  set_home(progress_axis(x_kind_, end), y_axis);
  set_shaded(slow_phase_label(), shaded_phases(data_.speeds.get(), x_kind_));
  set_strip_height(machine_strip_height(data_.speeds.get()));
}

void ProgressChart::mark_slow_workers() {
  slow_points_.clear();
  for (const std::int64_t row : slow_worker_rows(data_.speeds.get(), data_.trials))
    if (data_.passing.holds(row)) append_point(slow_points_, data_.trials.row(row), row);
}

void ProgressChart::paint_data(Canvas& canvas, const PlotFrame& frame) {
  faint_points_.paint(canvas, frame, hairline_ink(), interacting(), faint_opacity);
  points_.paint(canvas, frame, accent_ink(), interacting());
  slow_points_.paint(canvas, frame, slow_worker_ink(), interacting());
  paint_interruptions(canvas, frame, data_.trials, data_.interruption_seconds, x_kind_);
  selected_points_.paint(canvas, frame, marked_ink(), interacting(), selected_opacity);
  const ProgressPainter painter(data_, scale(), frame);
  paint_series(canvas, frame, painter.series());
  painter.paint_marks(canvas);
}

void ProgressChart::paint_around(Canvas& canvas, const PlotFrame& frame) {
  failures_.paint(canvas, frame, x_kind_);
  if (frame.y.scale == AxisScale::Linear && frame.y.range.low > 0) paint_axis_break(canvas, frame);
  std::vector<LegendEntry> entries;
  if (auto entry = left_out_entry(frame)) entries.push_back(std::move(*entry));
  if (slow_points_.size() > 0) entries.push_back({tr("worker slower than usual"), slow_worker_ink()});
  paint_legend(canvas, frame, std::move(entries));
}

/** Returns what the axis leaves out, unless it starts at zero and shows all trials. */
std::optional<LegendEntry> ProgressChart::left_out_entry(const PlotFrame& frame) const {
  QStringList parts;
  if (frame.y.scale == AxisScale::Linear && frame.y.range.low > 0) parts << tr("axis not from 0");
  const double slow = y() == ProgressY::Gflops ? frame.y.range.low : frame.y.range.high;
  const std::int64_t slower = y() == ProgressY::Gflops ? points_.count_below(scaled(slow, y_scale()))
                                                       : points_.count_above(scaled(slow, y_scale()));
  if (at_home() && slower > 0) parts << tr("%1 slower trials outside").arg(style::format_count(slower));
  if (parts.isEmpty()) return std::nullopt;
  return LegendEntry{parts.join(QStringLiteral(", ")), muted_ink(), LegendMark::LevelBar};
}

void ProgressChart::paint_strip(Canvas& canvas, const PlotFrame& frame) {
  paint_machine_strip(canvas, frame, strip_plot_, data_.trials, x_kind_);
}

void ProgressChart::paint_plot_overlay(Canvas& canvas, const PlotFrame&) {
  const auto position = position_of(current_row());
  if (position) paint_current(canvas, *position);
}

std::optional<QPointF> ProgressChart::position_of(std::int64_t row) const {
  if (row < 0 || row >= data_.trials.size()) return std::nullopt;
  const trial::Row trial = data_.trials.row(row);
  const PlotFrame shown = frame();
  const double x = shown.map_x(scale().x_of(trial, row));
  if (trial.category == trial::ErrorCategory::NoError) {
    const QPointF position(x, shown.map_y(scale().y_of(trial.median_seconds)));
    return std::isfinite(position.y()) ? std::optional(position) : std::nullopt;
  }
  const std::optional<double> y = failures_.y_of(shown, trial.category);
  return y ? std::optional(QPointF(x, *y)) : std::nullopt;
}

std::optional<Readout> ProgressChart::readout_of(std::int64_t row) const {
  const auto position = position_of(row);
  if (!position) return std::nullopt;
  return Readout{*position, progress_lines(data_, row), row};
}

/** Returns the readout of the trial at this x, and of its slow phase if it is in one. */
std::optional<Readout> ProgressChart::strip_readout_at(const PlotFrame& shown, QPointF position) const {
  std::optional<std::int64_t> nearest;
  double least = reach_pixels;
  for (std::int64_t row = 0; row < data_.trials.size(); ++row) {
    const double distance = std::abs(shown.map_x(scale().x_of(data_.trials.row(row), row)) - position.x());
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
    return failure ? readout_of(failure->row) : std::nullopt;
  }
  if (!shown.plot.contains(position)) return std::nullopt;
  std::int64_t row = -1;
  double least = improvement_reach_pixels;
  for (const analysis::ImprovementPoint& point : data_.improvements) {
    const QPointF way = shown.map(scale().x_of(point), scale().y_of(point.median_seconds)) - position;
    const double distance = std::hypot(way.x(), way.y());
    if (!(distance <= least)) continue;
    least = distance;
    row = point.row;
  }
  if (row < 0) row = points_.nearest(shown, position, reach_pixels);
  const std::optional<Readout> found = readout_of(row);
  return found ? found : shaded_readout_at(position);
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
  return readout_of(row);
}

std::optional<std::int64_t> ProgressChart::best_row() const {
  if (data_.confirmed) return data_.confirmed->row;
  if (data_.improvements.empty()) return std::nullopt;
  return data_.improvements.back().row;
}

void ProgressChart::go_to_best() {
  const auto row = best_row();
  const std::optional<Readout> best = row ? readout_of(*row) : std::nullopt;
  if (!best) return;
  set_readout(best);
  activate(*best);
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

QString ProgressChart::summary() const {
  QString text = (taken_ == 1 ? tr("%1 trial, %2 failed") : tr("%1 trials, %2 failed"))
                     .arg(style::format_count(taken_), style::format_count(taken_ - valid_));
  if (!data_.improvements.empty()) {
    const analysis::ImprovementPoint& best = data_.improvements.back();
    const QString unit = y() == ProgressY::Gflops ? QStringLiteral("GFLOPS") : QStringLiteral("ms");
    text += tr(", best %1 at trial %2")
                .arg(style::format_quantity(scale().y_of(best.median_seconds), unit),
                     style::format_count(best.number));
  }
  if (data_.passing.filters()) text += QStringLiteral(", ") + passing_text(data_.passing, taken_);
  for (const ShadedInterval& phase : shaded()) text += QStringLiteral(", ") + phase.text;
  if (!data_.speeds) return text;
  for (const trial::SlowPhase& phase : data_.speeds->phases)
    if (phase.worker != 0)
      text += QStringLiteral(", ") + QString::fromStdString(trial::phase_text(*data_.speeds, phase));
  return text;
}

QString ProgressChart::explanation() const { return progress_explanation(data_); }

Table ProgressChart::table() const { return progress_table(data_); }

}  // namespace kernelscape::charts
