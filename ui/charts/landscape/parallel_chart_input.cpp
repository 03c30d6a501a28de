#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>

#include "ui/charts/landscape/parallel_layout.h"

namespace kernelscape::charts {
namespace {

constexpr double axis_reach = 14;  // pixels beside an axis that count as part of it
constexpr double min_brush_pixels = 4;
constexpr double widest_distance = 400;

}  // namespace

ParallelChart::Layout::Layout(const analysis::ParallelCoordinates& coordinates, const QRectF& area)
    : all(coordinates) {
  const double line = text_height(style::TextSize::Small);
  const auto axes = static_cast<double>(std::max<std::size_t>(2, all.axes.size()));
  // Titles are centred on their axes: the outermost titles need half a distance of room.
  const double step = std::min(widest_distance, area.width() / axes);
  left = area.left() + (area.width() - step * (axes - 1)) / 2;
  right = left + step * (axes - 1);
  title_y = area.top() + line / 2 + 2;
  top = std::round(area.top() + line + 10);
  const bool any_missing = std::ranges::any_of(
      all.axes, [](const analysis::ParallelAxis& axis) { return axis.counts[axis.missing()] > 0; });
  missing_y = std::round(area.bottom() - 2 * line);
  bottom = any_missing ? missing_y - line - 2 : area.bottom() - line - 8;
}

double ParallelChart::Layout::distance() const {
  const std::size_t gaps = std::max<std::size_t>(2, all.axes.size()) - 1;
  return (right - left) / static_cast<double>(gaps);
}

double ParallelChart::Layout::x(std::size_t axis) const {
  return std::round(left + distance() * static_cast<double>(axis));
}

double ParallelChart::Layout::place_height(std::size_t axis) const {
  return (bottom - top) / static_cast<double>(std::max<std::size_t>(1, all.axes[axis].bins.count()));
}

QPointF ParallelChart::Layout::place(std::size_t axis, std::size_t place) const {
  if (place == all.axes[axis].missing()) return {x(axis), missing_y};
  return {x(axis), bottom - place_height(axis) * (static_cast<double>(place) + 0.5)};
}

QPointF ParallelChart::position_of(std::size_t axis, std::size_t place) const {
  return layout_of(body_rect()).place(axis, place);
}

QPointF ParallelChart::title_position(std::size_t axis) const {
  const Layout layout = layout_of(body_rect());
  return {layout.x(axis), layout.title_y};
}

std::size_t ParallelChart::nearest_place(std::size_t axis, double y) const {
  const Layout layout = layout_of(body_rect());
  const analysis::ParallelAxis& shown = data_.coordinates.axes[axis];
  if (shown.bins.count() == 0) return shown.missing();
  if (shown.counts[shown.missing()] > 0 && y > (layout.bottom + layout.missing_y) / 2) return shown.missing();
  const double place = (layout.bottom - y) / layout.place_height(axis);
  return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(shown.bins.count()) - 1));
}

std::optional<ParallelChart::Place> ParallelChart::place_at(QPointF position) const {
  const Layout layout = layout_of(body_rect());
  if (position.y() < layout.top - 4 || position.y() > layout.missing_y + axis_reach) return std::nullopt;
  for (std::size_t axis = 0; axis < data_.coordinates.axes.size(); ++axis)
    if (std::abs(position.x() - layout.x(axis)) <= axis_reach)
      return Place{axis, nearest_place(axis, position.y())};
  return std::nullopt;
}

std::optional<std::size_t> ParallelChart::title_at(QPointF position) const {
  const Layout layout = layout_of(body_rect());
  if (std::abs(position.y() - layout.title_y) > text_height(style::TextSize::Small)) return std::nullopt;
  for (std::size_t axis = 0; axis < data_.coordinates.axes.size(); ++axis)
    if (std::abs(position.x() - layout.x(axis)) <= layout.title_room() / 2) return axis;
  return std::nullopt;
}

std::optional<Readout> ParallelChart::readout_at(QPointF position) const {
  const auto place = place_at(position);
  return place ? std::optional(readout_of(*place)) : std::nullopt;
}

std::optional<Readout> ParallelChart::step_readout(const std::optional<Readout>& from,
                                                   Qt::Key direction) const {
  const std::size_t axes = data_.coordinates.axes.size();
  if (axes == 0) return std::nullopt;
  const auto here = from ? place_at(from->position) : std::nullopt;
  if (!here) return readout_of({0, 0});
  Place next = *here;
  if (direction == Qt::Key_Left || direction == Qt::Key_Right) {
    if (direction == Qt::Key_Left ? next.axis == 0 : next.axis + 1 == axes) return std::nullopt;
    next.axis = direction == Qt::Key_Left ? next.axis - 1 : next.axis + 1;
    next.place = nearest_place(next.axis, from->position.y());
    return readout_of(next);
  }
  const std::size_t missing = data_.coordinates.axes[next.axis].missing();
  const bool has_missing = data_.coordinates.axes[next.axis].counts[missing] > 0;
  if (direction == Qt::Key_Up) {
    if (next.place == missing) return missing == 0 ? std::nullopt : std::optional(readout_of({next.axis, 0}));
    if (next.place + 1 == missing) return std::nullopt;
    return readout_of({next.axis, next.place + 1});
  }
  if (next.place == missing || (next.place == 0 && !has_missing)) return std::nullopt;
  return readout_of({next.axis, next.place == 0 ? missing : next.place - 1});
}

Brush ParallelChart::brush_between(std::size_t axis, std::size_t first, std::size_t last) const {
  const analysis::ValueBins& bins = data_.coordinates.axes[axis].bins;
  const auto [low, high] = std::minmax(first, last);
  return {bins.low(low), bins.high(high)};
}

void ParallelChart::set_brush(std::size_t axis, std::optional<Brush> brush) {
  if (brushes_[axis] == brush) return;
  brushes_[axis] = brush;
  update();
  emit brushed(brushes_);
}

void ParallelChart::toggle_place(const Place& place) {
  if (place.place == data_.coordinates.axes[place.axis].missing()) return set_brush(place.axis, std::nullopt);
  const Brush alone = brush_between(place.axis, place.place, place.place);
  const std::optional<Brush>& old = brushes_[place.axis];
  const bool inside = old && alone.low >= old->low && alone.high <= old->high;
  set_brush(place.axis, inside ? std::nullopt : std::optional(alone));
}

void ParallelChart::activate(const Readout& readout) {
  if (const auto place = place_at(readout.position)) toggle_place(*place);
}

void ParallelChart::keyPressEvent(QKeyEvent* event) {
  const auto place = readout() ? place_at(readout()->position) : std::nullopt;
  const bool move = event->modifiers() == Qt::ControlModifier &&
                    (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right);
  if (place && move) {
    const int from = static_cast<int>(place->axis);
    const int to = from + (event->key() == Qt::Key_Left ? -1 : 1);
    if (to >= 0 && to < static_cast<int>(data_.axes.size())) emit axis_moved(from, to);
    return;
  }
  if (place && (event->key() == Qt::Key_Delete || event->key() == Qt::Key_Backspace))
    return set_brush(place->axis, std::nullopt);
  if (event->key() == Qt::Key_Escape && drag_ != Drag::None) {
    drag_ = Drag::None;
    return update();
  }
  Chart::keyPressEvent(event);
}

void ParallelChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !notice().isEmpty()) return;
  drag_start_ = drag_now_ = event->position();
  if (const auto title = title_at(event->position())) {
    drag_ = Drag::Title;
    drag_axis_ = *title;
  } else if (const auto place = place_at(event->position())) {
    drag_ = Drag::Brush;
    drag_axis_ = place->axis;
  }
}

void ParallelChart::mouseMoveEvent(QMouseEvent* event) {
  drag_now_ = event->position();
  if (drag_ == Drag::None) {
    setCursor(title_at(drag_now_) ? Qt::SizeHorCursor : Qt::ArrowCursor);
    return Chart::mouseMoveEvent(event);
  }
  set_readout(std::nullopt);
  update();
}

void ParallelChart::mouseReleaseEvent(QMouseEvent* event) {
  const Drag drag = std::exchange(drag_, Drag::None);
  const QPointF now = event->position();
  update();
  if (drag == Drag::Title) {
    const Layout layout = layout_of(body_rect());
    const double place = std::round((now.x() - layout.left) / layout.distance());
    const int to = static_cast<int>(std::clamp(place, 0.0, static_cast<double>(data_.axes.size()) - 1));
    if (to != static_cast<int>(drag_axis_)) emit axis_moved(static_cast<int>(drag_axis_), to);
  } else if (drag == Drag::Brush) {
    const std::size_t first = nearest_place(drag_axis_, drag_start_.y());
    if (std::abs(now.y() - drag_start_.y()) < min_brush_pixels) return toggle_place({drag_axis_, first});
    const std::size_t missing = data_.coordinates.axes[drag_axis_].missing();
    if (missing == 0) return;
    const auto inside = [&](std::size_t place) { return place == missing ? 0 : place; };
    set_brush(drag_axis_,
              brush_between(drag_axis_, inside(first), inside(nearest_place(drag_axis_, now.y()))));
  }
}

void ParallelChart::mouseDoubleClickEvent(QMouseEvent* event) {
  // Two quick clicks on a value are handled as two clicks.
  if (place_at(event->position())) return mousePressEvent(event);
  Chart::mouseDoubleClickEvent(event);
}

}  // namespace kernelscape::charts
