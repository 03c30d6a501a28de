#include "ui/charts/landscape/parallel_chart.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>

#include "ui/charts/landscape/parallel_painter.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double axis_reach = 14;  // pixels beside an axis that count as part of it
constexpr double min_brush_pixels = 4;

}  // namespace

ParallelChart::ParallelChart(QWidget* parent) : Chart(parent) {
  set_explanation(tr(
      "Every column is an axis, every trial a line through its values, in the colour of its performance by "
      "rank, so that a single slow trial does not leave one colour for all others. More than 2,000 trials "
      "are "
      "drawn as bands of lines that run side by side between two axes: a band's width is proportional to the "
      "number of trials, its colour is that of the best of them. The legend has the values at the quarters "
      "of "
      "the ranks. Trials without a value (the speed of a failure) meet at the foot of the axis.\n\nDrag "
      "along "
      "an axis to brush it, click a value to brush it alone or to remove the brush; trials that pass all "
      "brushes are selected, here and in every other chart. Then the colours are those of the selected "
      "trials, and all others are pale. Drag a title to move its axis: only neighbouring axes can be "
      "compared. The dashed line is the "
      "current trial."));
}

void ParallelChart::set_data(ParallelData data) {
  data_ = std::move(data);
  brushes_.resize(data_.coordinates.axes.size());
  invalidate();
}

void ParallelChart::set_brushes(std::vector<std::optional<Brush>> brushes) {
  brushes.resize(data_.coordinates.axes.size());
  if (brushes == brushes_) return;
  brushes_ = std::move(brushes);
  update();
}

ParallelLayout ParallelChart::shown_layout() const { return {data_.coordinates, body_rect()}; }

void ParallelChart::paint_chart(Canvas& canvas, const QRectF& area) {
  if (!data_.coordinates.axes.empty()) ParallelPainter(data_, area).paint(canvas);
}

void ParallelChart::paint_overlay(Canvas& canvas, const QRectF& area) {
  if (data_.coordinates.axes.empty()) return;
  const ParallelLayout placed(data_.coordinates, area);
  const ParallelPainter painter(data_, area);
  for (std::size_t axis = 0; axis < brushes_.size(); ++axis)
    if (brushes_[axis]) painter.paint_brush(canvas, axis, *brushes_[axis]);
  if (readout()) canvas.ring(readout()->position, 5, {text_ink(), 1.5, {}});
  if (drag_ == Drag::Brush) {
    const double x = placed.x(drag_axis_);
    const double low = std::clamp(drag_start_.y(), placed.top, placed.bottom);
    const double high = std::clamp(drag_now_.y(), placed.top, placed.bottom);
    canvas.outline(QRectF(QPointF(x - 7, low), QPointF(x + 7, high)).normalized(), {marked_ink(), 1.5, {}});
  } else if (drag_ == Drag::Title) {
    canvas.line({drag_now_.x(), placed.top}, {drag_now_.x(), placed.bottom}, {accent_ink(), 2, {4, 3}});
    canvas.text({drag_now_.x(), placed.title_y}, data_.axes[drag_axis_].title,
                {.ink = accent_ink(), .anchor = Qt::AlignCenter});
  }
}

Readout ParallelChart::readout_of(const Place& place) const {
  const analysis::ParallelAxis& axis = data_.coordinates.axes[place.axis];
  Readout readout{position_of(place.axis, place.place), {}, -1};
  const bool missing = place.place == axis.missing();
  const ParallelAxisText& text = data_.axes[place.axis];
  readout.lines.append(missing ? tr("%1: no value").arg(text.title)
                               : text.title + QStringLiteral(" = ") +
                                     text.labels[static_cast<qsizetype>(place.place)]);
  const std::int64_t trials = axis.counts[place.place];
  readout.lines.append((trials == 1 ? tr("%1 trial") : tr("%1 trials")).arg(style::format_count(trials)));
  if (axis.highlighted[place.place] > 0)
    readout.lines.append(tr("%1 selected").arg(style::format_count(axis.highlighted[place.place])));
  return readout;
}

Table ParallelChart::table() const {
  Table table{{"left axis", "left value", "right axis", "right value", "trials", "selected",
               "best (" + data_.unit.toStdString() + ")"},
              {}};
  const analysis::ParallelCoordinates& all = data_.coordinates;
  const auto label = [&](std::size_t axis, std::size_t place) {
    return place == all.axes[axis].missing()
               ? std::string()
               : data_.axes[axis].labels[static_cast<qsizetype>(place)].toStdString();
  };
  for (std::size_t left = 0; left + 1 < all.axes.size(); ++left) {
    for (std::size_t from = 0; from < all.axes[left].places(); ++from) {
      for (std::size_t to = 0; to < all.axes[left + 1].places(); ++to) {
        const analysis::ParallelBand& band = all.at(left, from, to);
        if (band.count == 0) continue;
        table.rows.push_back({data_.axes[left].title.toStdString(), label(left, from),
                              data_.axes[left + 1].title.toStdString(), label(left + 1, to),
                              static_cast<double>(band.count), static_cast<double>(band.highlighted),
                              band.best > 0 ? band.best : std::nan("")});
      }
    }
  }
  return table;
}

QString ParallelChart::summary() const {
  QStringList titles;
  for (const ParallelAxisText& axis : data_.axes) titles.append(axis.title);
  return titles.join(QStringLiteral(", "));
}

QPointF ParallelChart::position_of(std::size_t axis, std::size_t place) const {
  return shown_layout().place(axis, place);
}

QPointF ParallelChart::title_position(std::size_t axis) const {
  const ParallelLayout placed = shown_layout();
  return {placed.x(axis), placed.title_y};
}

std::size_t ParallelChart::nearest_place(std::size_t axis, double y) const {
  const ParallelLayout placed = shown_layout();
  const analysis::ParallelAxis& shown = data_.coordinates.axes[axis];
  if (shown.bins.count() == 0) return shown.missing();
  if (shown.counts[shown.missing()] > 0 && y > (placed.bottom + placed.missing_y) / 2) return shown.missing();
  const double place = (placed.bottom - y) / placed.place_height(axis);
  return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(shown.bins.count()) - 1));
}

std::optional<ParallelChart::Place> ParallelChart::place_at(QPointF position) const {
  const ParallelLayout placed = shown_layout();
  if (position.y() < placed.top - 4 || position.y() > placed.missing_y + axis_reach) return std::nullopt;
  for (std::size_t axis = 0; axis < data_.coordinates.axes.size(); ++axis)
    if (std::abs(position.x() - placed.x(axis)) <= axis_reach)
      return Place{axis, nearest_place(axis, position.y())};
  return std::nullopt;
}

std::optional<std::size_t> ParallelChart::title_at(QPointF position) const {
  const ParallelLayout placed = shown_layout();
  if (std::abs(position.y() - placed.title_y) > text_height(style::TextSize::Small)) return std::nullopt;
  for (std::size_t axis = 0; axis < data_.coordinates.axes.size(); ++axis)
    if (std::abs(position.x() - placed.x(axis)) <= placed.title_room() / 2) return axis;
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
    const ParallelLayout placed = shown_layout();
    const double place = std::round((now.x() - placed.left) / placed.distance());
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
