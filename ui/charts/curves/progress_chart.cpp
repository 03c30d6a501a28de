#include "ui/charts/curves/progress_chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/charts/curves/machine_strip.h"
#include "ui/charts/curves/progress_axis.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

/** Home shows this share of the slow trials' times or speeds, unless the user chose to show all. */
constexpr double robust_share = 0.9;
/** With fewer valid trials all of them are shown. */
constexpr std::int64_t min_robust_trials = 20;
/** A speed axis starts at zero if at most this share of it would be left out. */
constexpr double min_left_out = 0.15;
/**
 * Maximum factor by which a reference line extends home beyond the best; a line further away has its label at
 * the border.
 */
constexpr double max_reference_factor = 1.6;

bool is_continued(const ProgressData& old, const ProgressData& now) {
  return old.session == now.session && old.flops == now.flops && now.trials.size() >= old.trials.size();
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
    if (const auto position = position_of(readout()->row)) set_readout(readout_of(readout()->row, *position));
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

double ProgressChart::y_of(double seconds) const {
  if (!(seconds > 0)) return std::numeric_limits<double>::quiet_NaN();
  return y() == ProgressY::Gflops ? data_.flops / seconds / 1e9 : seconds * 1e3;
}

double ProgressChart::x_of(const trial::Row& row, std::int64_t index) const {
  return point_x(row, index, x_kind_);
}

double ProgressChart::x_of(const analysis::ImprovementPoint& point) const {
  return x_kind_ == ProgressX::Trials ? static_cast<double>(point.row) : point.finished_seconds;
}

void ProgressChart::append_point(PointCloud& cloud, const trial::Row& row, std::int64_t index) const {
  if (has_time(row))
    cloud.append(x_of(row, index), scaled(y_of(row.median_seconds), y_scale()),
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

Interval ProgressChart::y_range(double slow_seconds, double fast_seconds) const {
  const double first = y_of(slow_seconds);
  const double second = y_of(fast_seconds);
  return {std::min(first, second), std::max(first, second)};
}

/**
 * Returns the range from the slowest trials that home shows to the fastest of trials, ghosts and near
 * reference lines.
 */
Interval ProgressChart::home_of_y() const {
  double fast = seconds_sketch_.quantile(0);
  if (!data_.improvements.empty()) fast = data_.improvements.back().median_seconds;
  const bool all = show_all() || valid_ < min_robust_trials;
  double slow = std::max(fast, seconds_sketch_.quantile(all ? 1 : robust_share) * 1.02);
  const auto include = [&](double seconds) {
    if (!(seconds > 0)) return;
    if (!(fast > 0)) fast = slow = seconds;
    if (seconds < fast && seconds * max_reference_factor > fast) fast = seconds;
    if (seconds > slow && seconds < slow * max_reference_factor) slow = seconds;
  };
  // What other sessions reached is always in sight, and so is the result that the label names.
  const auto include_slow = [&](double seconds) {
    include(seconds);
    if (std::isfinite(seconds) && fast > 0) slow = std::max(slow, seconds);
  };
  for (const GhostCurve& ghost : data_.ghosts)
    if (!ghost.improvements.empty()) include_slow(ghost.improvements.back().median_seconds);
  include_slow(data_.best.seconds);
  if (data_.confirmed) {
    include_slow(data_.confirmed->third_quartile_seconds);
    include(data_.confirmed->first_quartile_seconds);
  }
  for (const ReferenceLine& reference : data_.references) include(reference.seconds);
  if (!(fast > 0)) return y_scale() == AxisScale::Linear ? Interval{0, 1} : Interval{1, 10};
  Interval range = y_range(slow, fast);
  if (y_scale() != AxisScale::Linear) return padded_range(range, y_scale(), 0.07);
  const bool speed = y() == ProgressY::Gflops;
  if (speed && (all || range.low < min_left_out * range.high)) range.low = 0;
  // The label of the best result stands above its line, in milliseconds below it.
  const double span = range.high - std::min(range.low, 0.9 * range.high);
  const double label = text_height(style::TextSize::Small) + 14;
  const double head = std::clamp(label / std::max(1.0, frame().plot.height()), 0.09, 0.4);
  range.high += (speed ? head : 0.09) * span;
  if (range.low > 0) range.low = std::max(0.0, range.low - (speed ? 0.05 : head) * span);
  return range;
}

void ProgressChart::resizeEvent(QResizeEvent* event) {
  XyChart::resizeEvent(event);
  update_home();  // the room for labels depends on the height
}

void ProgressChart::update_home() {
  double end = x_end();
  for (const GhostCurve& ghost : data_.ghosts) end = std::max(end, end_of(ghost));
  Axis y_axis;
  y_axis.title = y() == ProgressY::Gflops ? tr("speed") : tr("time per call");
  y_axis.unit = y() == ProgressY::Gflops ? QStringLiteral("GFLOPS") : QStringLiteral("ms");
  y_axis.scale = y_scale();
  y_axis.range = home_of_y();
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

QString ProgressChart::summary() const {
  QString text = (taken_ == 1 ? tr("%1 trial, %2 failed") : tr("%1 trials, %2 failed"))
                     .arg(style::format_count(taken_), style::format_count(taken_ - valid_));
  if (!data_.improvements.empty()) {
    const analysis::ImprovementPoint& best = data_.improvements.back();
    const QString unit = y() == ProgressY::Gflops ? QStringLiteral("GFLOPS") : QStringLiteral("ms");
    text +=
        tr(", best %1 at trial %2")
            .arg(style::format_quantity(y_of(best.median_seconds), unit), style::format_count(best.number));
  }
  if (data_.passing.filters()) text += QStringLiteral(", ") + passing_text(data_.passing, taken_);
  for (const ShadedInterval& phase : shaded()) text += QStringLiteral(", ") + phase.text;
  if (!data_.speeds) return text;
  for (const trial::SlowPhase& phase : data_.speeds->phases)
    if (phase.worker != 0)
      text += QStringLiteral(", ") + QString::fromStdString(trial::phase_text(*data_.speeds, phase));
  return text;
}

QString ProgressChart::explanation() const {
  QString text = tr(
      "Every dot is a trial: a configuration that was built, run, checked and timed; where many dots would "
      "cover each other, the shade shows their number. The line is the best so far, exact at the trials that "
      "improved it. Failed trials have no speed, so they stand in lanes below the axis, one for each "
      "category, marked with its letter. Trials that do not pass the filters are faint. Dashed horizontal "
      "lines are references (the vendor's kernel, the machine's limit); thin curves are other sessions. The "
      "diamond is the best trial measured again at the end, with its quartiles.\n\nThe axis leaves out the "
      "slowest tenth of the valid trials, so that the differences that matter can be seen. Two strokes "
      "across the axis mark that it does not start at zero. \"All\" shows every trial.\n\nThe curve against "
      "wall "
      "time is that of NoSE, figure 5A, here for a single session.");
  if (data_.speeds)
    text +=
        tr("\n\nThe strip below shows the machine's speed while each trial was measured, relative to its "
           "usual speed. Where the machine was slower for a while, the chart is shaded: the times of these "
           "trials are longer than they would have been. In a fleet each worker has a line, and the trials "
           "of a worker that was slower for a while are marked.");
  return text;
}

Table ProgressChart::table() const {
  Table table;
  table.columns = {"row", "trial", "category", "session time (s)", "time per call (s)", "best so far (s)"};
  if (data_.flops > 0) table.columns.insert(table.columns.end(), {"speed (GFLOPS)", "best so far (GFLOPS)"});
  if (data_.speeds) add_machine_columns(table);
  const double none = std::numeric_limits<double>::quiet_NaN();
  double best = none;
  auto next = data_.improvements.begin();
  table.rows.reserve(static_cast<std::size_t>(data_.trials.size()));
  for (std::int64_t index = 0; index < data_.trials.size(); ++index) {
    const trial::Row row = data_.trials.row(index);
    if (next != data_.improvements.end() && next->row == index) best = next++->median_seconds;
    const double seconds = has_time(row) ? row.median_seconds : none;
    std::vector<Cell> cells{static_cast<double>(index),
                            static_cast<double>(row.number),
                            std::string(trial::to_string(row.category)),
                            row.finished_seconds,
                            seconds,
                            best};
    if (data_.flops > 0) {
      cells.emplace_back(data_.flops / seconds / 1e9);
      cells.emplace_back(data_.flops / best / 1e9);
    }
    if (data_.speeds) add_machine_cells(cells, row);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace kernelscape::charts
