#include "ui/charts/landscape/variable_plane_chart.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "ui/charts/clipping.h"
#include "ui/charts/landscape/variable_plane_painter.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double plane_margin = 0.05;
/**
 * Maximum distance of a bound from the data, as a share of the range, at which it is shown; other bounds are
 * only listed.
 */
constexpr double near_bound = 0.5;
/** With more pairs, a hit test would take longer than a mouse movement. */
constexpr std::size_t max_pairs_to_point_at = 200'000;

Interval range_of_values(std::vector<std::int64_t> values, const std::vector<double>& bounds,
                         AxisScale scale) {
  std::erase_if(values, [&](std::int64_t value) { return scale != AxisScale::Linear && value <= 0; });
  if (values.empty()) return scale == AxisScale::Linear ? Interval{0, 1} : Interval{1, 10};
  const auto [least, most] = std::ranges::minmax(values);
  Interval range{static_cast<double>(least), static_cast<double>(most)};
  const Interval shown = padded_range(range, scale, near_bound);
  for (const double bound : bounds)
    if (shown.contains(bound)) range = {std::min(range.low, bound), std::max(range.high, bound)};
  if (range.low < range.high) return padded_range(range, scale, plane_margin);
  return scale == AxisScale::Linear ? Interval{range.low - 1, range.high + 1}
                                    : Interval{range.low / 2, range.high * 2};
}

bool bounds_x(const analysis::VariableBound& bound) {
  return bound.kind == analysis::VariableBound::Kind::XAtMost ||
         bound.kind == analysis::VariableBound::Kind::XAtLeast;
}

bool bounds_y(const analysis::VariableBound& bound) {
  return bound.kind == analysis::VariableBound::Kind::YAtMost ||
         bound.kind == analysis::VariableBound::Kind::YAtLeast;
}

}  // namespace

QString bound_text(const analysis::VariableBound& bound, const VariablePlaneData& data) {
  using enum analysis::VariableBound::Kind;
  const QString value = style::format_count(bound.value);
  const auto written = [&](const QString& left, const QString& right) {
    return QStringLiteral("%1 <= %2: %3").arg(left, right, QString::fromStdString(bound.reason));
  };
  switch (bound.kind) {
    case XAtMost:
      return written(data.x.name, value);
    case XAtLeast:
      return written(value, data.x.name);
    case YAtMost:
      return written(data.y.name, value);
    case YAtLeast:
      return written(value, data.y.name);
    case XAtMostY:
      return written(data.x.name, data.y.name);
    case YAtMostX:
      return written(data.y.name, data.x.name);
  }
  return {};
}

VariablePlaneChart::VariablePlaneChart(QWidget* parent) : TrialChart(parent) {
  set_title(tr("Variables"));
  update_home(AxisScale::Linear);
  set_explanation(tr(
      "Two variables of the space's constraints, elements of knobs or values that constraints derive from "
      "them, against each other. A dot stands for the trials that have its two values: the more trials, the "
      "larger the dot; its colour is the best of them. A cross marks points without a valid trial. Colours "
      "go by the rank of the best among the dots, so that a single slow dot does not leave one colour for "
      "all others. A click chooses the best trial.\n\nShaded are the values of feasible configurations, "
      "which a tuner could measure; hatched, if all of these configurations exceed the device limits and "
      "would fail before they are built. Dashed lines are bounds of the space or the device, with their "
      "reasons. Outside of the shading there are no feasible configurations, if all of them were enumerated; "
      "for a space that is too large, random feasible configurations are used, and rare pairs are "
      "missing.\n\nHeron, figure 11, where the variables are the sizes of two buffers."));
}

void VariablePlaneChart::set_data(VariablePlaneData data) {
  const bool same = data.x == data_.x && data.y == data_.y;
  const std::int64_t pointed_at = readout() ? readout()->row : -1;
  data_ = std::move(data);
  if (same) {
    update_home(y_scale());
  } else {
    // Set the scale that the data suggest; the user may change it afterwards.
    set_y_scales({});
    update_home(data_.y.logarithmic ? AxisScale::Log2 : AxisScale::Linear);
    set_y_scales(data_.y.logarithmic ? std::vector{AxisScale::Log2, AxisScale::Linear}
                                     : std::vector{AxisScale::Linear});
    reset_view();
  }
  const std::optional<std::size_t> point = point_with(pointed_at);
  const std::optional<QPointF> position = point ? position_of(*point) : std::nullopt;
  set_readout(position ? std::optional(readout_of(*point, *position)) : std::nullopt);
}

void VariablePlaneChart::home_changed() { update_home(y_scale()); }

void VariablePlaneChart::update_home(AxisScale scale_of_y) {
  std::vector<std::int64_t> xs;
  std::vector<std::int64_t> ys;
  const auto add = [&](const auto& pairs) {
    for (const auto& pair : pairs) {
      xs.push_back(pair.x);
      ys.push_back(pair.y);
    }
  };
  add(data_.points);
  add(data_.region.pairs);
  std::vector<double> x_bounds;
  std::vector<double> y_bounds;
  for (const analysis::VariableBound& bound : data_.bounds) {
    if (bounds_x(bound)) x_bounds.push_back(static_cast<double>(bound.value));
    if (bounds_y(bound)) y_bounds.push_back(static_cast<double>(bound.value));
  }
  const AxisScale x_scale = data_.x.logarithmic ? AxisScale::Log2 : AxisScale::Linear;
  set_home({data_.x.name, {}, x_scale, range_of_values(std::move(xs), x_bounds, x_scale)},
           {data_.y.name, {}, scale_of_y, range_of_values(std::move(ys), y_bounds, scale_of_y)});
}

std::optional<std::size_t> VariablePlaneChart::point_with(std::int64_t row) const {
  if (row < 0) return std::nullopt;
  for (std::size_t point = 0; point < data_.points.size(); ++point)
    if (std::ranges::binary_search(data_.points[point].rows, row)) return point;
  return std::nullopt;
}

std::optional<QPointF> VariablePlaneChart::position_of(std::size_t point) const {
  const VariablePoint& of = data_.points[point];
  const QPointF position = frame().map(static_cast<double>(of.x), static_cast<double>(of.y));
  return std::isfinite(position.x() + position.y()) ? std::optional(position) : std::nullopt;
}

std::optional<std::size_t> VariablePlaneChart::nearest(const PlotFrame& frame, QPointF position) const {
  std::optional<std::size_t> found;
  double least = reach_pixels * reach_pixels;
  for (std::size_t index = 0; index < data_.points.size(); ++index) {
    const VariablePoint& point = data_.points[index];
    const QPointF apart = frame.map(static_cast<double>(point.x), static_cast<double>(point.y)) - position;
    const double distance = QPointF::dotProduct(apart, apart);
    if (!(distance <= least)) continue;
    least = distance;
    found = index;
  }
  return found;
}

const analysis::RegionPair* VariablePlaneChart::pair_near(const PlotFrame& frame, QPointF position) const {
  const analysis::RegionPair* found = nullptr;
  if (data_.region.pairs.size() > max_pairs_to_point_at) return found;
  double least = reach_pixels * reach_pixels;
  for (const analysis::RegionPair& pair : data_.region.pairs) {
    const QPointF apart = frame.map(static_cast<double>(pair.x), static_cast<double>(pair.y)) - position;
    const double distance = QPointF::dotProduct(apart, apart);
    if (!(distance <= least)) continue;
    least = distance;
    found = &pair;
  }
  return found;
}

QString VariablePlaneChart::values_text(std::int64_t x, std::int64_t y) const {
  return tr("%1 = %2, %3 = %4")
      .arg(data_.x.name, style::format_count(x), data_.y.name, style::format_count(y));
}

Readout VariablePlaneChart::readout_of(std::size_t index, QPointF position) const {
  const VariablePoint& point = data_.points[index];
  const auto trials = std::ssize(point.rows);
  Readout readout{position, {values_text(point.x, point.y)}, point.row};
  if (point.best)
    readout.lines.append((trials == 1 ? tr("%1 %2") : tr("best %1 %2"))
                             .arg(data_.quantity, style::format_quantity(*point.best, data_.unit)));
  readout.lines.append(
      trials == 1
          ? (point.valid == 1 ? tr("one trial, valid") : tr("one trial, invalid"))
          : tr("%1 trials, %2 valid").arg(style::format_count(trials), style::format_count(point.valid)));
  if (point.selected > 0) readout.lines.append(tr("%1 selected").arg(style::format_count(point.selected)));
  const auto pair =
      std::ranges::lower_bound(data_.region.pairs, std::tuple(point.x, point.y), {},
                               [](const analysis::RegionPair& of) { return std::tuple(of.x, of.y); });
  const bool known = pair != data_.region.pairs.end() && pair->x == point.x && pair->y == point.y;
  if (known && !pair->within_limits)
    readout.lines.append(tr("feasible configurations with these values exceed the device limits"));
  return readout;
}

std::optional<Readout> VariablePlaneChart::readout_at(QPointF position) const {
  const PlotFrame shown = frame();
  if (!shown.plot.contains(position)) return std::nullopt;
  if (const std::optional<std::size_t> point = nearest(shown, position))
    return readout_of(*point, *position_of(*point));
  const analysis::RegionPair* pair = pair_near(shown, position);
  if (pair == nullptr) return std::nullopt;
  return Readout{
      shown.map(static_cast<double>(pair->x), static_cast<double>(pair->y)),
      {values_text(pair->x, pair->y),
       pair->within_limits ? tr("there are feasible configurations with these values, but no trial")
                           : tr("feasible configurations exceed the device limits, no trial")},
      -1};
}

std::size_t VariablePlaneChart::best_point() const {
  std::size_t best = 0;
  const auto worth = [&](std::size_t index) {
    const VariablePoint& point = data_.points[index];
    if (!point.best) return -HUGE_VAL;
    return data_.higher_is_better ? *point.best : -*point.best;
  };
  for (std::size_t index = 1; index < data_.points.size(); ++index)
    if (worth(index) > worth(best)) best = index;
  return best;
}

/** Returns the point of the next column whose y is nearest. */
std::size_t VariablePlaneChart::beside(std::size_t point, bool right) const {
  const VariablePoint& from = data_.points[point];
  const std::size_t none = data_.points.size();
  std::size_t found = none;
  const auto distance = [&](std::size_t index) {
    return std::abs(static_cast<double>(data_.points[index].y) - static_cast<double>(from.y));
  };
  for (std::size_t index = point; index < none; right ? ++index : --index) {
    const std::int64_t x = data_.points[index].x;
    if (x == from.x) continue;
    if (found != none && data_.points[found].x != x) break;
    if (found == none || distance(index) < distance(found)) found = index;
  }
  return found == none ? point : found;
}

std::optional<Readout> VariablePlaneChart::step_readout(const std::optional<Readout>& from,
                                                        Qt::Key direction) const {
  if (data_.points.empty()) return std::nullopt;
  const std::optional<std::size_t> now = from ? point_with(from->row) : std::nullopt;
  std::size_t next = now.value_or(best_point());
  if (now && direction == Qt::Key_Up) next = std::min(*now + 1, data_.points.size() - 1);
  if (now && direction == Qt::Key_Down) next = *now == 0 ? 0 : *now - 1;
  if (now && direction == Qt::Key_Right) next = beside(*now, true);
  if (now && direction == Qt::Key_Left) next = beside(*now, false);
  const std::optional<QPointF> position = position_of(next);
  return position ? std::optional(readout_of(next, *position)) : std::nullopt;
}

std::vector<qint64> VariablePlaneChart::rows_in(const QRectF& rectangle) const {
  const PlotFrame shown = frame();
  std::vector<qint64> rows;
  for (const VariablePoint& point : data_.points)
    if (holds(rectangle, shown.map(static_cast<double>(point.x), static_cast<double>(point.y))))
      rows.insert(rows.end(), point.rows.begin(), point.rows.end());
  std::ranges::sort(rows);
  return rows;
}

void VariablePlaneChart::paint_data(Canvas& canvas, const PlotFrame& frame) {
  VariablePlanePainter(data_, frame).paint(canvas);
}

void VariablePlaneChart::paint_around(Canvas& canvas, const PlotFrame& frame) {
  if (!data_.points.empty() || !data_.region.pairs.empty())
    VariablePlanePainter(data_, frame).paint_legend(canvas);
}

void VariablePlaneChart::paint_plot_overlay(Canvas& canvas, const PlotFrame& frame) {
  const std::optional<std::size_t> current = point_with(current_row());
  if (!current) return;
  const VariablePoint& point = data_.points[*current];
  const QPointF at = frame.map(static_cast<double>(point.x), static_cast<double>(point.y));
  paint_current(canvas, at, VariablePlanePainter::radius_of(point) + 3.5);
}

QString VariablePlaneChart::summary() const {
  if (data_.points.empty()) return {};
  QStringList parts{tr("trials have %1 pairs of values").arg(style::format_count(std::ssize(data_.points)))};
  if (data_.region.members > 0)
    parts.append(
        tr("feasible configurations have %1").arg(style::format_count(std::ssize(data_.region.pairs))));
  const VariablePoint& best = data_.points[best_point()];
  if (best.best)
    parts.append(
        tr("best %1 at %2").arg(style::format_quantity(*best.best, data_.unit), values_text(best.x, best.y)));
  for (const analysis::VariableBound& bound : data_.bounds) parts.append(bound_text(bound, data_));
  return parts.join(QStringLiteral(", "));
}

Table VariablePlaneChart::table() const {
  const double none = std::nan("");
  Table table{{"what", data_.x.name.toStdString(), data_.y.name.toStdString(), "trials", "valid",
               "best " + data_.quantity.toStdString() + " (" + data_.unit.toStdString() + ")", "row"},
              {}};
  for (const VariablePoint& point : data_.points)
    table.rows.push_back({"trials", static_cast<double>(point.x), static_cast<double>(point.y),
                          static_cast<double>(point.rows.size()), static_cast<double>(point.valid),
                          point.best.value_or(none), static_cast<double>(point.row)});
  for (const analysis::RegionPair& pair : data_.region.pairs)
    table.rows.push_back({pair.within_limits ? "feasible" : "feasible beyond the limits",
                          static_cast<double>(pair.x), static_cast<double>(pair.y), none, none, none, none});
  for (const analysis::VariableBound& bound : data_.bounds) {
    const auto value = static_cast<double>(bound.value);
    table.rows.push_back({"bound " + bound_text(bound, data_).toStdString(), bounds_x(bound) ? value : none,
                          bounds_y(bound) ? value : none, none, none, none, none});
  }
  return table;
}

}  // namespace kernelscape::charts
