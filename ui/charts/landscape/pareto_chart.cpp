#include "ui/charts/landscape/pareto_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/legend_line.h"
#include "ui/charts/styles.h"
#include "ui/charts/value_span.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double pareto_margin = 0.05;
constexpr double front_radius = 4;
/** A range of positive values over this ratio gets a logarithmic axis. */
constexpr double logarithmic_ratio = 20;

AxisScale scale_for(const Interval& range) {
  return range.low > 0 && range.high > logarithmic_ratio * range.low ? AxisScale::Log10 : AxisScale::Linear;
}

Interval widened(Interval range, double value) {
  return {std::min(range.low, value), std::max(range.high, value)};
}

QString direction_text(const ParetoAxis& axis) {
  return axis.more_is_better ? ParetoChart::tr("more is better") : ParetoChart::tr("less is better");
}

/** Returns a value with the name of its axis: "energy 0.12 J". */
QString value_line(const ParetoAxis& axis, double value) {
  const QString line = QStringLiteral("%1 %2").arg(axis.title, style::format_number(value));
  return axis.unit.isEmpty() ? line : line + QLatin1Char(' ') + axis.unit;
}

std::string column_text(const ParetoAxis& axis) {
  return (axis.unit.isEmpty() ? axis.title : QStringLiteral("%1 (%2)").arg(axis.title, axis.unit))
      .toStdString();
}

Ink dominated_ink() {
  Ink ink = muted_ink();
  ink.role += "-dominated";
  return ink;
}

}  // namespace

ParetoChart::ParetoChart(QWidget* parent) : TrialChart(parent) {
  set_title(tr("Pareto front"));
  update_home();
  set_explanation(tr(
      "Two quantities of the valid trials. A trial is on the Pareto front if no other trial is at least as "
      "good in both and better in one. The line of steps joins the front: every trial on its worse side is "
      "dominated by a trial of the front. No trial of the front is the best in general: which of them is "
      "depends on how much one quantity is worth in the other.\n\n"
      "The titles of the axes say which direction is better; it can be switched above. The tuner optimised "
      "the "
      "time only, so the front is that of the trials it happened to measure. The arrow keys go along the "
      "front, Enter or a click selects the trial, Ctrl+drag selects all trials of a rectangle."));
}

void ParetoChart::set_data(ParetoData data) {
  const bool same = data.x == data_.x && data.y == data_.y;
  const std::int64_t pointed_at = readout() ? readout()->row : -1;
  data_ = std::move(data);
  take_points();
  update_home();
  if (!same) reset_view();
  const std::optional<std::size_t> point = point_with(pointed_at);
  const std::optional<QPointF> position = position_of(pointed_at);
  set_readout(point && position ? std::optional(readout_of(*point, *position)) : std::nullopt);
}

/** Determines the ranges and scales, and fills the clouds. */
void ParetoChart::take_points() {
  ValueSpan x;
  ValueSpan y;
  for (std::size_t i = 0; i < data_.size(); ++i) {
    x.add((*data_.points)[i].x);
    y.add((*data_.points)[i].y);
  }
  whole_x_ = x.all();
  whole_y_ = y.all();
  near_x_ = x.robust();
  near_y_ = y.robust();
  x_scale_ = scale_for(whole_x_);
  y_scale_ = scale_for(whole_y_);
  on_front_.assign(data_.size(), false);
  for (const std::size_t position : data_.front) {
    const ParetoPoint& point = (*data_.points)[position];
    on_front_[position] = true;
    near_x_ = widened(near_x_, point.x);
    near_y_ = widened(near_y_, point.y);
  }
  cloud_.clear();
  for (std::size_t i = 0; i < data_.size(); ++i) {
    const ParetoPoint& point = (*data_.points)[i];
    cloud_.append(scaled(point.x, x_scale_), scaled(point.y, y_scale_),
                  static_cast<std::uint32_t>(point.row));
  }
  selection_changed();
}

void ParetoChart::update_home() {
  set_robust(near_x_ != whole_x_ || near_y_ != whole_y_);
  const auto home = [&](const ParetoAxis& axis, AxisScale scale, const Interval& near,
                        const Interval& whole) {
    const Interval range = show_all() ? whole : near;
    const QString title = QStringLiteral("%1, %2").arg(axis.title, direction_text(axis));
    return Axis{.title = title,
                .unit = axis.unit,
                .scale = scale,
                .range = padded_range(valid_range(range, scale), scale, pareto_margin)};
  };
  set_home(home(data_.x, x_scale_, near_x_, whole_x_), home(data_.y, y_scale_, near_y_, whole_y_));
}

void ParetoChart::selection_changed() {
  selected_.clear();
  selection().for_each([this](std::int64_t row) {
    const std::optional<std::size_t> position = point_with(row);
    if (!position) return;
    const ParetoPoint& point = (*data_.points)[*position];
    selected_.append(scaled(point.x, x_scale_), scaled(point.y, y_scale_), static_cast<std::uint32_t>(row));
  });
  invalidate();
}

std::optional<std::size_t> ParetoChart::point_with(std::int64_t row) const {
  if (row < 0 || !data_.points) return std::nullopt;
  const auto found = std::ranges::lower_bound(*data_.points, row, {}, &ParetoPoint::row);
  if (found == data_.points->end() || found->row != row) return std::nullopt;
  return static_cast<std::size_t>(found - data_.points->begin());
}

std::optional<QPointF> ParetoChart::position_of(std::int64_t row) const {
  const std::optional<std::size_t> point = point_with(row);
  if (!point) return std::nullopt;
  const QPointF position = frame().map((*data_.points)[*point].x, (*data_.points)[*point].y);
  return std::isfinite(position.x() + position.y()) ? std::optional(position) : std::nullopt;
}

Readout ParetoChart::readout_of(std::size_t point, QPointF position) const {
  const ParetoPoint& of = (*data_.points)[point];
  Readout readout{position, {}, of.row};
  readout.lines.append((on_front_[point] ? tr("trial %1, on the Pareto front") : tr("trial %1, dominated"))
                           .arg(style::format_count(of.number)));
  readout.lines.append(value_line(data_.x, of.x));
  readout.lines.append(value_line(data_.y, of.y));
  return readout;
}

/** Prefers a trial of the front to the others within reach. */
std::optional<Readout> ParetoChart::readout_at(QPointF position) const {
  const PlotFrame shown = frame();
  if (!shown.plot.contains(position)) return std::nullopt;
  std::int64_t row = -1;
  double least = reach_pixels * reach_pixels;
  for (const std::size_t point : data_.front) {
    const ParetoPoint& of = (*data_.points)[point];
    const QPointF apart = shown.map(of.x, of.y) - position;
    const double distance = QPointF::dotProduct(apart, apart);
    if (!(distance <= least)) continue;
    least = distance;
    row = of.row;
  }
  if (row < 0) row = cloud_.nearest(shown, position, reach_pixels);
  const std::optional<std::size_t> point = point_with(row);
  const std::optional<QPointF> place = position_of(row);
  return point && place ? std::optional(readout_of(*point, *place)) : std::nullopt;
}

/** Goes along the front: right and down towards a worse x and a better y, left and up back. */
std::optional<Readout> ParetoChart::step_readout(const std::optional<Readout>& from,
                                                 Qt::Key direction) const {
  if (data_.front.empty()) return std::nullopt;
  std::size_t next = 0;
  const std::optional<std::size_t> now = from ? point_with(from->row) : std::nullopt;
  const auto place = now ? std::ranges::find(data_.front, *now) : data_.front.end();
  if (place != data_.front.end()) {
    next = static_cast<std::size_t>(place - data_.front.begin());
    const bool forward = direction == Qt::Key_Right || direction == Qt::Key_Down;
    if (forward && next + 1 < data_.front.size()) ++next;
    if (!forward && next > 0) --next;
  }
  const std::size_t point = data_.front[next];
  const std::optional<QPointF> position = position_of((*data_.points)[point].row);
  return position ? std::optional(readout_of(point, *position)) : std::nullopt;
}

std::vector<qint64> ParetoChart::rows_in(const QRectF& rectangle) const {
  return cloud_.rows_in(frame(), rectangle);
}

/**
 * Returns the line of steps from the worst y at the best x of the front to the worst x at its best y, in
 * pixels.
 */
std::vector<QPointF> ParetoChart::stairs(const PlotFrame& frame) const {
  if (data_.front.empty()) return {};
  const double worst_x = data_.x.more_is_better ? frame.plot.left() : frame.plot.right();
  const double worst_y = data_.y.more_is_better ? frame.plot.bottom() : frame.plot.top();
  std::vector<QPointF> line;
  for (const std::size_t position : data_.front) {
    const ParetoPoint& point = (*data_.points)[position];
    const QPointF at = frame.map(point.x, point.y);
    line.emplace_back(at.x(), line.empty() ? worst_y : line.back().y());
    line.push_back(at);
  }
  line.emplace_back(worst_x, line.back().y());
  return line;
}

void ParetoChart::paint_data(Canvas& canvas, const PlotFrame& frame) {
  cloud_.paint(canvas, frame, dominated_ink(), interacting());
  canvas.polyline(stairs(frame), {accent_ink(), 2, {}});
  std::vector<QPointF> dots;
  for (const std::size_t position : data_.front)
    dots.push_back(frame.map((*data_.points)[position].x, (*data_.points)[position].y));
  canvas.dots(dots, front_radius + 1, surface_ink());
  canvas.dots(dots, front_radius, accent_ink());
  selected_.paint(canvas, frame, marked_ink(), interacting(), selected_opacity);
}

void ParetoChart::paint_around(Canvas& canvas, const PlotFrame& frame) {
  std::vector<LegendEntry> entries;
  entries.push_back({tr("Pareto front"), accent_ink()});
  entries.push_back({tr("dominated"), dominated_ink()});
  if (selected_.size() > 0) entries.push_back({tr("selected"), marked_ink()});
  paint_legend(canvas, frame, std::move(entries));
}

void ParetoChart::paint_plot_overlay(Canvas& canvas, const PlotFrame&) {
  const std::optional<QPointF> position = position_of(current_row());
  if (position) paint_current(canvas, *position, front_radius + 3.5);
}

QString ParetoChart::summary() const {
  if (data_.size() == 0) return {};
  return tr("%1 of %2 trials on the Pareto front of %3 and %4")
      .arg(style::format_count(std::ssize(data_.front)),
           style::format_count(static_cast<std::int64_t>(data_.size())), data_.x.title, data_.y.title);
}

Table ParetoChart::table() const {
  Table table{{"trial", "row", column_text(data_.x), column_text(data_.y), "on the Pareto front"}, {}};
  for (std::size_t i = 0; i < data_.size(); ++i) {
    const ParetoPoint& point = (*data_.points)[i];
    table.rows.push_back({static_cast<double>(point.number), static_cast<double>(point.row), point.x, point.y,
                          on_front_[i] ? 1.0 : 0.0});
  }
  return table;
}

}  // namespace kernelscape::charts
