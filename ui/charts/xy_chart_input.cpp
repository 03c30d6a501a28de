#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QTimer>
#include <QWheelEvent>
#include <cmath>

#include "ui/charts/xy_chart.h"

namespace kernelscape::charts {
namespace {

/** Minimum distance of a drag; shorter movements are clicks. */
constexpr double min_drag_pixels = 4;
/** A rectangle thinner than this in one direction zooms only the other axis. */
constexpr double thin_band_pixels = 10;
constexpr double key_zoom = 0.7;
/** Narrower views would show the rounding of numbers. */
constexpr double min_relative_view = 1e-7;

/** Returns the part of an axis between two of its fractions. */
Interval between(const Axis& axis, double low, double high) {
  return {axis.value_at(low), axis.value_at(high)};
}

bool too_narrow(const Interval& range) {
  return !(range.span() > min_relative_view * std::max(std::abs(range.low), std::abs(range.high)));
}

bool covers(const Interval& outer, const Interval& inner) {
  const double slack = 1e-6 * inner.span();
  return outer.low <= inner.low + slack && outer.high >= inner.high - slack;
}

}  // namespace

void XyChart::view_moved() {
  set_readout(std::nullopt);
  invalidate();
  emit view_changed();
}

void XyChart::interact() {
  interacting_ = true;
  settle_timer_->start();
}

void XyChart::zoom_to(Interval x, Interval y) {
  if (too_narrow(x) || too_narrow(y)) return;
  view_.push({valid_range(x, home_x_.scale), valid_range(y, home_y_.scale)});
  view_moved();
}

void XyChart::move_y(Interval y) {
  Range view = view_.current();
  view.y = valid_range(y, home_y_.scale);
  view_.replace(view);
  view_moved();
}

void XyChart::zoom_back() {
  if (!view_.can_go_back()) return;
  view_.back();
  view_moved();
}

void XyChart::zoom_forward() {
  if (!view_.can_go_forward()) return;
  view_.forward();
  view_moved();
}

void XyChart::reset_view() {
  if (view_.at_home()) return;
  view_.push(Range{});
  view_moved();
}

void XyChart::zoom_around(QPointF position, double factor, bool along_x, bool along_y) {
  const PlotFrame shown = frame();
  const auto zoomed = [factor](const Axis& axis, double fraction) {
    return between(axis, fraction - fraction * factor, fraction + (1 - fraction) * factor);
  };
  Range view = view_.current();
  const double x_fraction = std::clamp((position.x() - shown.plot.left()) / shown.plot.width(), 0.0, 1.0);
  const double y_fraction = std::clamp((shown.plot.bottom() - position.y()) / shown.plot.height(), 0.0, 1.0);
  if (along_x) view.x = zoomed(shown.x, x_fraction);
  if (along_y) view.y = zoomed(shown.y, y_fraction);
  if ((view.x && too_narrow(*view.x)) || (view.y && too_narrow(*view.y))) return;
  // Zoomed out beyond all data: go home.
  if (view.x && covers(*view.x, valid_range(home_x_.range, home_x_.scale))) view.x.reset();
  if (view.y && covers(*view.y, valid_range(home_y_.range, home_y_.scale))) view.y.reset();
  if (view == view_.current()) return;
  // All turns of the wheel in one interaction are one step of the history.
  if (interacting_ && !view_.at_home()) {
    view_.replace(view);
  } else {
    view_.push(view);
  }
  interact();
  view_moved();
}

void XyChart::wheelEvent(QWheelEvent* event) {
  const QPoint turn = event->angleDelta();
  // With Alt some platforms report horizontal wheel movement.
  const int delta = turn.y() != 0 ? turn.y() : turn.x();
  if (delta == 0 || !notice().isEmpty()) return event->ignore();
  const bool only_x = event->modifiers() & Qt::ControlModifier;
  const bool only_y = event->modifiers() & Qt::AltModifier;
  zoom_around(event->position(), std::pow(1.2, -delta / 120.0), !only_y, !only_x && (y_moves_ || only_y));
  event->accept();
}

void XyChart::begin_drag(Drag drag, QPointF position) {
  drag_ = drag;
  drag_start_ = position;
  drag_view_ = view_.current();
  panned_ = false;
  mouse_ = position;
  if (drag == Drag::Pan) setCursor(Qt::ClosedHandCursor);
}

void XyChart::cancel_drag() {
  if (drag_ == Drag::Pan && panned_) {
    view_.back();
    view_moved();
  }
  drag_ = Drag::None;
  unsetCursor();
  update();
}

void XyChart::mousePressEvent(QMouseEvent* event) {
  const QPointF position = event->position();
  if (!notice().isEmpty() || !frame().plot.contains(position)) return Chart::mousePressEvent(event);
  const bool left = event->button() == Qt::LeftButton;
  if (event->button() == Qt::BackButton) return zoom_back();
  if (event->button() == Qt::ForwardButton) return zoom_forward();
  if (event->button() == Qt::MiddleButton || (left && event->modifiers() & Qt::ShiftModifier))
    return begin_drag(Drag::Pan, position);
  if (left) begin_drag(event->modifiers() & Qt::ControlModifier ? Drag::Select : Drag::Zoom, position);
}

void XyChart::mouseMoveEvent(QMouseEvent* event) {
  mouse_ = event->position();
  if (drag_ == Drag::None) {
    Chart::mouseMoveEvent(event);
  } else {
    set_readout(std::nullopt);
    if (drag_ == Drag::Pan) pan_to(*mouse_);
  }
  update();
}

void XyChart::pan_to(QPointF position) {
  PlotFrame shown = frame();
  if (drag_view_.x) shown.x.range = *drag_view_.x;
  if (drag_view_.y) shown.y.range = *drag_view_.y;
  if (!panned_ && position == drag_start_) return;
  const double along_x = (position.x() - drag_start_.x()) / shown.plot.width();
  const double along_y = (drag_start_.y() - position.y()) / shown.plot.height();
  Range moved{between(shown.x, -along_x, 1 - along_x), between(shown.y, -along_y, 1 - along_y)};
  const bool only_x = !y_moves_ && !drag_view_.y;
  if (only_x) moved.y.reset();
  if (panned_) {
    view_.replace(moved);
  } else {
    // The first movement is a new step of the history; axes that were not zoomed start with the ranges of
    // home.
    drag_view_.x = shown.x.range;
    if (!only_x) drag_view_.y = shown.y.range;
    view_.push(moved);
    panned_ = true;
  }
  if (follow_ && std::abs(along_x) > 0) set_follow(false);
  interact();
  view_moved();
}

void XyChart::mouseReleaseEvent(QMouseEvent* event) {
  if (drag_ == Drag::None) return Chart::mouseReleaseEvent(event);
  const QPointF way = event->position() - drag_start_;
  const bool click = std::max(std::abs(way.x()), std::abs(way.y())) < min_drag_pixels;
  const Drag drag = drag_;
  if (!click) {
    finish_drag(event->position());
  } else if (drag == Drag::Select) {
    set_cursor_at('A', drag_start_);
  } else if (drag == Drag::Zoom && event->modifiers() & Qt::AltModifier) {
    set_cursor_at('B', drag_start_);
  } else if (drag == Drag::Zoom) {
    if (const auto hit = readout_at(event->position())) activate(*hit);
  }
  drag_ = Drag::None;
  unsetCursor();
  update();
}

void XyChart::finish_drag(QPointF position) {
  const PlotFrame shown = frame();
  const QRectF band = QRectF(drag_start_, position).normalized().intersected(shown.plot);
  if (drag_ == Drag::Select) emit rows_selected(rows_in(band));
  if (drag_ != Drag::Zoom) return;
  Interval x{shown.x_at(band.left()), shown.x_at(band.right())};
  Interval y{shown.y_at(band.bottom()), shown.y_at(band.top())};
  if (band.width() < thin_band_pixels) x = shown.x.range;
  if (band.height() < thin_band_pixels) y = shown.y.range;
  if (y_moves_) return zoom_to(x, y);
  if (band.width() < thin_band_pixels || too_narrow(x)) return;
  view_.push({valid_range(x, home_x_.scale), view_.current().y});
  view_moved();
}

void XyChart::mouseDoubleClickEvent(QMouseEvent* event) {
  drag_ = Drag::None;
  Chart::mouseDoubleClickEvent(event);
}

void XyChart::leaveEvent(QEvent* event) {
  mouse_.reset();
  Chart::leaveEvent(event);
  update();
}

void XyChart::set_cursor_at(char name, QPointF position) {
  const PlotFrame shown = frame();
  const QPointF value(shown.x_at(position.x()), shown.y_at(position.y()));
  const auto toggled = [&](const std::optional<QPointF>& old) {
    return old == value ? std::nullopt : std::optional(value);
  };
  if (name == 'A') {
    set_cursors(toggled(cursor_a_), cursor_b_);
  } else {
    set_cursors(cursor_a_, toggled(cursor_b_));
  }
}

bool XyChart::escape() {
  if (drag_ != Drag::None) {
    cancel_drag();
  } else if (readout()) {
    set_readout(std::nullopt);
  } else if (cursor_a_ || cursor_b_) {
    set_cursors(std::nullopt, std::nullopt);
  } else {
    return false;
  }
  return true;
}

QPointF XyChart::key_place() const {
  if (readout()) return readout()->position;
  const QRectF plot = frame().plot;
  return mouse_ && plot.contains(*mouse_) ? *mouse_ : plot.center();
}

bool XyChart::zoom_key(const QKeyEvent& event, bool along_x, bool along_y) {
  if (event.key() != Qt::Key_Plus && event.key() != Qt::Key_Minus) return false;
  zoom_around(key_place(), event.key() == Qt::Key_Plus ? key_zoom : 1 / key_zoom, along_x, along_y);
  return true;
}

bool XyChart::view_key(QKeyEvent& event) {
  if (zoom_key(event, true, y_moves_)) return true;
  const QPointF place = key_place();
  switch (event.key()) {
    case Qt::Key_F:
      set_follow(!follow_);
      return true;
    case Qt::Key_A:
      set_cursor_at('A', place);
      return true;
    case Qt::Key_B:
      set_cursor_at('B', place);
      return true;
    case Qt::Key_L:
      if (y_scales_.size() > 1) set_y_scale(y_scales_[home_y_.scale == y_scales_.front() ? 1 : 0]);
      return y_scales_.size() > 1;
    case Qt::Key_Escape:
      return escape();
    default:
      return false;
  }
}

void XyChart::keyPressEvent(QKeyEvent* event) {
  const Qt::KeyboardModifiers modifiers = event->modifiers() & ~Qt::KeypadModifier;
  if (modifiers == Qt::AltModifier && event->key() == Qt::Key_Left) return zoom_back();
  if (modifiers == Qt::AltModifier && event->key() == Qt::Key_Right) return zoom_forward();
  // Some keyboards have the plus sign above another one.
  const bool only_y = (modifiers & ~Qt::ShiftModifier) == Qt::AltModifier;
  if (only_y && notice().isEmpty() && zoom_key(*event, false, true)) return;
  const bool plain = modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier;
  if (plain && notice().isEmpty() && view_key(*event)) return;
  Chart::keyPressEvent(event);
}

void XyChart::extend_menu(QMenu& menu) {
  const auto add_check = [&](const QString& text, bool on, const auto& change) {
    QAction* action = menu.addAction(text);
    action->setCheckable(true);
    action->setChecked(on);
    connect(action, &QAction::toggled, this, change);
  };
  if (y_scales_.size() > 1)
    add_check(tr("Logarithmic axis\tL"), home_y_.scale != AxisScale::Linear,
              [this] { set_y_scale(y_scales_[home_y_.scale == y_scales_.front() ? 1 : 0]); });
  if (robust_)
    add_check(tr("Show all, including outliers"), show_all_, [this](bool on) { set_show_all(on); });
  add_check(tr("Follow new data\tF"), follow_, [this](bool on) { set_follow(on); });
  menu.addSeparator();
  menu.addAction(tr("Reset view\tHome"), this, &XyChart::reset_view)->setEnabled(!view_.at_home());
  menu.addAction(tr("Zoom back\tAlt+Left"), this, &XyChart::zoom_back)->setEnabled(view_.can_go_back());
  menu.addAction(tr("Zoom forward\tAlt+Right"), this, &XyChart::zoom_forward)
      ->setEnabled(view_.can_go_forward());
}

}  // namespace kernelscape::charts
