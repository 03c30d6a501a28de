#include "ui/charts/landscape/variable_plane_painter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "ui/charts/landscape/viridis_scale.h"
#include "ui/charts/legend_line.h"
#include "ui/charts/styles.h"

namespace kernelscape::charts {
namespace {

/** Maximum extent of the shading of a value, if no other value is nearer. */
constexpr double max_reach_of_value = 12;
constexpr double min_reach_of_value = 1;
/** More cells than this are painted as one picture. */
constexpr std::size_t max_cells = 2000;
constexpr double cell_pixels_of_picture = 2;
constexpr float within_opacity = 0.16F;
constexpr float beyond_opacity = 0.10F;
constexpr double min_dot = 3.5;
constexpr double max_growth = 4;
constexpr double cross_reach = 3.5;
/** Share of the line above the plot for the scale: the rest is for the axis title and the legend. */
constexpr double scale_share = 0.7;
constexpr int curve_steps = 64;

/** Returns the interval of each value's shading: half-way to the neighbouring values. */
std::map<std::int64_t, Interval> reaches(std::vector<std::int64_t> values, const auto& map) {
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  std::map<std::int64_t, Interval> extents;
  const auto pixel = [&](std::size_t index) { return map(static_cast<double>(values[index])); };
  const auto shaded = [](double distance) {
    // NaN (a neighbour that cannot be shown) is not a distance.
    return std::isfinite(distance) ? std::clamp(distance / 2, min_reach_of_value, max_reach_of_value)
                                   : max_reach_of_value;
  };
  for (std::size_t index = 0; index < values.size(); ++index) {
    const double at = pixel(index);
    if (!std::isfinite(at)) continue;
    // Pixels may increase or decrease with the values.
    const double before = index == 0 ? HUGE_VAL : at - pixel(index - 1);
    const double after = index + 1 == values.size() ? HUGE_VAL : pixel(index + 1) - at;
    const double sign = before < 0 || after < 0 ? -1 : 1;
    const double first = at - sign * shaded(std::abs(before));
    const double last = at + sign * shaded(std::abs(after));
    extents[values[index]] = {std::min(first, last), std::max(first, last)};
  }
  return extents;
}

Ink region_ink(bool within_limits) {
  Ink ink = within_limits ? accent_ink() : muted_ink();
  ink.role += within_limits ? "-members" : "-beyond";
  ink.colour.setAlphaF(within_limits ? within_opacity : beyond_opacity);
  return ink;
}

Fill beyond_fill() {
  Ink hatch = muted_ink();
  hatch.role += "-hatch";
  hatch.colour.setAlphaF(0.4F);
  return {region_ink(false), style::Hatch::BackDiagonal, hatch};
}

/** Returns a dashed stroke, which distinguishes bounds from the grid. */
Stroke bound_stroke() { return {text_ink(), 1.2, {6, 4}}; }

void paint_cross(Canvas& canvas, QPointF at, const Stroke& stroke) {
  const QPointF down(cross_reach, cross_reach);
  const QPointF up(cross_reach, -cross_reach);
  canvas.line(at - down, at + down, stroke);
  canvas.line(at - up, at + up, stroke);
}

PerformanceScale performance_scale(const VariablePlaneData& data) {
  std::vector<double> values;
  for (const VariablePoint& point : data.points)
    if (point.best) values.push_back(*point.best);
  return {std::move(values), data.higher_is_better};
}

}  // namespace

VariablePlanePainter::VariablePlanePainter(const VariablePlaneData& data, const PlotFrame& frame)
    : data_(data), frame_(frame), scale_(performance_scale(data)) {}

double VariablePlanePainter::radius_of(const VariablePoint& point) {
  const double growth = std::log2(static_cast<double>(std::max<std::size_t>(1, point.rows.size()))) / 2;
  return min_dot + std::min(max_growth, growth);
}

/** Returns the cells; pairs that touch along y are merged. */
std::vector<VariablePlanePainter::Cell> VariablePlanePainter::region_cells() const {
  std::vector<std::int64_t> xs;
  std::vector<std::int64_t> ys;
  for (const analysis::RegionPair& pair : data_.region.pairs) {
    xs.push_back(pair.x);
    ys.push_back(pair.y);
  }
  const auto columns = reaches(std::move(xs), [&](double value) { return frame_.map_x(value); });
  const auto lines = reaches(std::move(ys), [&](double value) { return frame_.map_y(value); });
  std::vector<Cell> cells;
  const analysis::RegionPair* before = nullptr;
  for (const analysis::RegionPair& pair : data_.region.pairs) {
    const auto column = columns.find(pair.x);
    const auto line = lines.find(pair.y);
    if (column == columns.end() || line == lines.end()) continue;
    const QRectF where(QPointF(column->second.low, line->second.low),
                       QPointF(column->second.high, line->second.high));
    const bool continues = before != nullptr && before->x == pair.x &&
                           before->within_limits == pair.within_limits &&
                           std::abs(cells.back().where.top() - where.bottom()) < 0.01;
    if (continues) {
      cells.back().where.setTop(where.top());
    } else {
      cells.push_back({where, pair.within_limits});
    }
    before = &pair;
  }
  std::erase_if(cells, [&](const Cell& cell) { return !cell.where.intersects(frame_.plot); });
  return cells;
}

void VariablePlanePainter::paint_region(Canvas& canvas) const {
  const std::vector<Cell> cells = region_cells();
  if (cells.size() <= max_cells) {
    for (const Cell& cell : cells) {
      if (cell.within_limits) {
        canvas.rect(cell.where, region_ink(true));
      } else {
        canvas.rect(cell.where.intersected(frame_.plot), beyond_fill());
      }
    }
    return;
  }
  const QSize size(static_cast<int>(std::ceil(frame_.plot.width() / cell_pixels_of_picture)),
                   static_cast<int>(std::ceil(frame_.plot.height() / cell_pixels_of_picture)));
  QImage picture(size, QImage::Format_ARGB32_Premultiplied);
  picture.fill(Qt::transparent);
  for (const bool within_limits : {false, true}) {
    const QColor colour = region_ink(within_limits).colour;
    for (const Cell& cell : cells) {
      if (cell.within_limits != within_limits) continue;
      const QRectF where = cell.where.translated(-frame_.plot.topLeft());
      const int left = std::max(0, static_cast<int>(where.left() / cell_pixels_of_picture));
      const int top = std::max(0, static_cast<int>(where.top() / cell_pixels_of_picture));
      const int right = std::min(size.width(), static_cast<int>(where.right() / cell_pixels_of_picture) + 1);
      const int bottom =
          std::min(size.height(), static_cast<int>(where.bottom() / cell_pixels_of_picture) + 1);
      for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x) picture.setPixelColor(x, y, colour);
    }
  }
  canvas.image(QRectF(frame_.plot.topLeft(), QSizeF(size) * cell_pixels_of_picture), picture);
}

void VariablePlanePainter::paint_bound(Canvas& canvas, const analysis::VariableBound& bound) const {
  using enum analysis::VariableBound::Kind;
  const auto value = static_cast<double>(bound.value);
  const QString text = bound_text(bound, data_);
  const double small = text_height(style::TextSize::Small);
  switch (bound.kind) {
    case XAtMost:
    case XAtLeast: {
      const double x = frame_.map_x(value);
      canvas.line({x, frame_.plot.top()}, {x, frame_.plot.bottom()}, bound_stroke());
      const bool left = x > frame_.plot.center().x();
      return canvas.text(
          {x + (left ? -4 : 4), frame_.plot.top() + small / 2 + 2}, text,
          {.ink = text_ink(), .anchor = (left ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter});
    }
    case YAtMost:
    case YAtLeast: {
      const double y = frame_.map_y(value);
      canvas.line({frame_.plot.left(), y}, {frame_.plot.right(), y}, bound_stroke());
      const double beside = y - small / 2 - 1 < frame_.plot.top() ? y + small / 2 + 1 : y - small / 2 - 1;
      return canvas.text({frame_.plot.left() + 4, beside}, text, {.ink = text_ink()});
    }
    case XAtMostY:
    case YAtMostX: {
      std::vector<QPointF> curve;
      for (int step = 0; step <= curve_steps; ++step) {
        const double both = frame_.x.value_at(static_cast<double>(step) / curve_steps);
        curve.push_back(frame_.map(both, both));
      }
      canvas.polyline(curve, bound_stroke());
      const double middle = frame_.x.value_at(0.5);
      return canvas.text(frame_.map(middle, middle) + QPointF(6, 0), text, {.ink = text_ink()});
    }
  }
}

/** Paints the points, the best on top, those without a valid trial below all others. */
void VariablePlanePainter::paint_points(Canvas& canvas) const {
  std::vector<std::size_t> order(data_.points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto layer = [&](std::size_t index) {
    const VariablePoint& point = data_.points[index];
    return point.best ? 1 + scale_.brightness(*point.best) : point.valid > 0 ? 0.5 : 0;
  };
  std::ranges::stable_sort(order, {}, layer);
  for (const std::size_t index : order) {
    const VariablePoint& point = data_.points[index];
    const QPointF at = frame_.map(static_cast<double>(point.x), static_cast<double>(point.y));
    if (!frame_.plot.contains(at)) continue;
    if (point.valid == 0) {
      paint_cross(canvas, at, {text_ink(), 1.5, {}});
    } else {
      const double radius = radius_of(point);
      canvas.dots(std::array{at}, radius + 1, surface_ink());
      canvas.dots(std::array{at}, radius,
                  point.best ? viridis_ink(scale_.brightness(*point.best)) : accent_ink());
      canvas.ring(at, radius, thin_stroke(muted_ink()));
    }
    if (point.selected > 0) canvas.ring(at, radius_of(point) + 2, {marked_ink(), 2, {}});
  }
}

/** Paints the scale at the right end of the line above the plot. @return its left end */
double VariablePlanePainter::paint_scale(Canvas& canvas) const {
  const QString caption = VariablePlaneChart::tr("best %1, by rank").arg(data_.quantity);
  const double caption_width = text_width(caption, style::TextSize::Small) + 8;
  const double room = frame_.plot.width() * scale_share - caption_width;
  const double width = level_scale_width(room, scale_, data_.unit);
  if (width <= 0) return frame_.plot.right();
  const double y = frame_.plot.top() - text_height(style::TextSize::Small) / 2 - 2;
  const double left = frame_.plot.right() - width;
  paint_level_scale(canvas, {left, y}, room, scale_, data_.unit);
  canvas.text({left - caption_width, y}, caption, {.ink = muted_ink()});
  return left - caption_width;
}

void VariablePlanePainter::paint(Canvas& canvas) const {
  paint_region(canvas);
  for (const analysis::VariableBound& bound : data_.bounds) paint_bound(canvas, bound);
  paint_points(canvas);
}

void VariablePlanePainter::paint_legend(Canvas& canvas) const {
  PlotFrame beside = frame_;
  beside.plot.setRight(paint_scale(canvas) - 12);
  std::vector<LegendEntry> entries;
  const auto any = [&](bool within) {
    return std::ranges::any_of(
        data_.region.pairs, [&](const analysis::RegionPair& pair) { return pair.within_limits == within; });
  };
  if (any(true))
    entries.push_back({VariablePlaneChart::tr("feasible"), region_ink(true), LegendMark::UprightBar});
  if (any(false))
    entries.push_back({VariablePlaneChart::tr("beyond the device limits"), beyond_fill().hatch_ink,
                       LegendMark::UprightBar});
  const bool failed =
      std::ranges::any_of(data_.points, [](const VariablePoint& point) { return point.valid == 0; });
  if (failed) entries.push_back({VariablePlaneChart::tr("× none valid"), surface_ink(), LegendMark::Dot});
  paint_legend_line(canvas, beside, std::move(entries));
}

}  // namespace kernelscape::charts
