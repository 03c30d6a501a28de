#include "ui/charts/xy_chart.h"

#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QTimer>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/charts/legend_line.h"
#include "ui/charts/styles.h"
#include "ui/charts/zoom.h"

namespace kernelscape::charts {
namespace {

constexpr int settle_milliseconds = 120;

/** Minimum distance of a drag; shorter movements are clicks. */
constexpr double min_drag_pixels = 4;
/** A rectangle thinner than this in one direction zooms only the other axis. */
constexpr double thin_band_pixels = 10;
constexpr double key_zoom = 0.7;

}  // namespace

XyChart::XyChart(QWidget* parent) : Chart(parent), settle_timer_(new QTimer(this)) {
  settle_timer_->setSingleShot(true);
  settle_timer_->setInterval(settle_milliseconds);
  connect(settle_timer_, &QTimer::timeout, this, [this] {
    interacting_ = false;
    invalidate();
  });
}

void XyChart::set_home(Axis x, Axis y) {
  axes_.set_home(std::move(x), std::move(y));
  set_follow(follow_);
  invalidate();
}

void XyChart::set_follow(bool follow) {
  const bool changed = follow != follow_;
  follow_ = follow;
  if (follow_ && axes_.show_last()) view_moved();
  if (changed) emit follow_changed(follow_);
}

void XyChart::set_y_scale(AxisScale scale) {
  if (scale == y_scale()) return;
  axes_.set_y_scale(scale);
  home_changed();
  view_moved();
}

void XyChart::set_show_all(bool show_all) {
  if (show_all == show_all_) return;
  show_all_ = show_all;
  home_changed();
  view_moved();
}

void XyChart::set_lanes(std::vector<Lane> lanes) {
  layout_.lanes = std::move(lanes);
  invalidate();
}

void XyChart::set_strip_height(double pixels) {
  if (pixels == layout_.strip_height) return;
  layout_.strip_height = pixels;
  invalidate();
}

void XyChart::set_shaded(const QString& label, std::vector<ShadedInterval> intervals) {
  if (shaded_.set(label, std::move(intervals))) invalidate();
}

void XyChart::set_left_margin(std::optional<double> pixels) {
  layout_.left_margin = pixels;
  invalidate();
}

double XyChart::natural_left_margin() const { return layout_.label_width(y_axis(), body_rect().height()); }

void XyChart::set_cursors(std::optional<QPointF> a, std::optional<QPointF> b) {
  if (PlotCursors{a, b} == cursors_) return;
  cursors_ = {a, b};
  emit cursors_changed();
  update();
}

QSize XyChart::minimumSizeHint() const {
  return Chart::minimumSizeHint() + layout_.minimum_size(y_axis(), body_rect().height());
}

PlotFrame XyChart::frame_for(const QRectF& area) const {
  return layout_.frame(area, x_axis(), y_axis(), body_rect().height(),
                       [this](QSizeF room) { return head_height(room); });
}

void XyChart::paint_chart(Canvas& canvas, const QRectF& area) {
  const PlotFrame frame = frame_for(area);
  paint_x_grid(canvas, frame);
  paint_y_grid(canvas, frame, area.height());
  shaded_.paint(canvas, frame);
  {
    const ClipScope clip(canvas, frame.plot);
    paint_data(canvas, frame);
  }
  if (!frame.strip.isEmpty()) {
    const ClipScope clip(canvas, frame.strip);
    paint_strip(canvas, frame);
  }
  // Keep the last label of x inside of the chart.
  paint_x_axis(canvas, frame, area.right() + 6);
  paint_y_axis(canvas, frame, area);
  layout_.paint_lane_labels(canvas, frame);
  paint_around(canvas, frame);
}

void XyChart::paint_series(Canvas& canvas, const PlotFrame& frame, std::span<const PlotSeries> series) {
  plot_.paint(canvas, frame, series);
}

void XyChart::paint_legend(Canvas& canvas, const PlotFrame& frame, std::vector<LegendEntry> entries) const {
  if (std::optional<LegendEntry> entry = shaded_.legend_entry())
    entries.insert(entries.begin(), *std::move(entry));
  paint_legend_line(canvas, frame, std::move(entries));
}

std::optional<Readout> XyChart::shaded_readout_at(QPointF position) const {
  const PlotFrame shown = frame();
  if (!shown.plot.contains(position) && !shown.strip.contains(position)) return std::nullopt;
  const ShadedInterval* found = shaded_.find(shown.x_at(position.x()));
  if (found == nullptr) return std::nullopt;
  return Readout{position, {found->text}};
}

QString XyChart::cursor_difference() const {
  return difference_text(cursors_, axes_.home_x(), axes_.home_y());
}

void XyChart::paint_overlay(Canvas& canvas, const QRectF& area) {
  const PlotFrame frame = frame_for(area);
  {
    const ClipScope clip(canvas, frame.plot);
    paint_plot_overlay(canvas, frame);
    if (mouse_ && (drag_ == Drag::Zoom || drag_ == Drag::Select))
      paint_drag(canvas, QRectF(drag_start_, *mouse_).normalized(),
                 drag_ == Drag::Zoom ? accent_ink() : marked_ink());
  }
  paint_cursors(canvas, frame, cursors_, cursor_difference());
  const std::optional<QPointF> at = readout() ? std::optional(readout()->position) : mouse_;
  if (drag_ == Drag::None && at && frame.plot.contains(*at))
    paint_crosshair(canvas, frame, *at, readout().has_value());
}

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
  if (axes_.zoom_to(x, y)) view_moved();
}

void XyChart::move_y(Interval y) {
  axes_.move_y(y);
  view_moved();
}

void XyChart::zoom_back() {
  if (axes_.back()) view_moved();
}

void XyChart::zoom_forward() {
  if (axes_.forward()) view_moved();
}

void XyChart::reset_view() {
  if (axes_.reset()) view_moved();
}

void XyChart::zoom_around(const Zoom& zoom) {
  // All turns of the wheel in one interaction are one step of the history.
  if (!axes_.zoom_around(frame(), zoom, interacting_)) return;
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
  zoom_around({.position = event->position(),
               .factor = std::pow(1.2, -delta / 120.0),
               .along_x = !only_y,
               .along_y = !only_x && (y_moves_ || only_y)});
  event->accept();
}

void XyChart::begin_drag(Drag drag, QPointF position) {
  drag_ = drag;
  drag_start_ = position;
  axes_.begin_pan();
  mouse_ = position;
  if (drag == Drag::Pan) setCursor(Qt::ClosedHandCursor);
}

void XyChart::cancel_drag() {
  if (drag_ == Drag::Pan && axes_.panned()) zoom_back();
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
  if (!axes_.panned() && position == drag_start_) return;
  const QPointF way = position - drag_start_;
  axes_.pan(frame(), way, y_moves_);
  if (follow_ && std::abs(way.x()) > 0) set_follow(false);
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
  if (band.width() >= thin_band_pixels && axes_.zoom_x_to(x)) view_moved();
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
    set_cursors(toggled(cursors_.a), cursors_.b);
  } else {
    set_cursors(cursors_.a, toggled(cursors_.b));
  }
}

bool XyChart::escape() {
  if (drag_ != Drag::None) {
    cancel_drag();
  } else if (readout()) {
    set_readout(std::nullopt);
  } else if (cursors_.a || cursors_.b) {
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
  zoom_around({.position = key_place(),
               .factor = event.key() == Qt::Key_Plus ? key_zoom : 1 / key_zoom,
               .along_x = along_x,
               .along_y = along_y});
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
      if (axes_.has_y_scales()) set_y_scale(axes_.other_y_scale());
      return axes_.has_y_scales();
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
  if (axes_.has_y_scales())
    add_check(tr("Logarithmic axis\tL"), y_scale() != AxisScale::Linear,
              [this] { set_y_scale(axes_.other_y_scale()); });
  if (robust_)
    add_check(tr("Show all, including outliers"), show_all_, [this](bool on) { set_show_all(on); });
  add_check(tr("Follow new data\tF"), follow_, [this](bool on) { set_follow(on); });
  menu.addSeparator();
  menu.addAction(tr("Reset view\tHome"), this, &XyChart::reset_view)->setEnabled(!at_home());
  menu.addAction(tr("Zoom back\tAlt+Left"), this, &XyChart::zoom_back)
      ->setEnabled(axes_.history().can_go_back());
  menu.addAction(tr("Zoom forward\tAlt+Right"), this, &XyChart::zoom_forward)
      ->setEnabled(axes_.history().can_go_forward());
}

}  // namespace kernelscape::charts
