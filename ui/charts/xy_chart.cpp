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
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double lane_gap = 4;
constexpr float shade_opacity = 0.18F;
constexpr int settle_milliseconds = 120;

Ink shade_ink() {
  Ink ink{"shaded", style::colours().warning};
  ink.colour.setAlphaF(shade_opacity);
  return ink;
}

double lane_height() { return std::max(12.0, text_height(style::TextSize::Small) - 2); }

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

Axis XyChart::x_axis() const {
  Axis axis = home_x_;
  axis.range = valid_range(view_.current().x.value_or(axis.range), axis.scale);
  return axis;
}

Axis XyChart::y_axis() const {
  Axis axis = home_y_;
  axis.range = valid_range(view_.current().y.value_or(axis.range), axis.scale);
  return axis;
}

void XyChart::set_home(Axis x, Axis y) {
  if (std::ranges::find(y_scales_, home_y_.scale) != y_scales_.end()) y.scale = home_y_.scale;
  home_x_ = std::move(x);
  home_y_ = std::move(y);
  set_follow(follow_);
  invalidate();
}

void XyChart::set_follow(bool follow) {
  const bool changed = follow != follow_;
  follow_ = follow;
  Range view = view_.current();
  if (follow_ && view.x) {
    const double high = valid_range(home_x_.range, home_x_.scale).high;
    view.x = Interval{high - view.x->span(), high};
    if (view != view_.current()) {
      view_.replace(view);
      view_moved();
    }
  }
  if (changed) emit follow_changed(follow_);
}

void XyChart::set_y_scales(std::vector<AxisScale> scales) {
  y_scales_ = std::move(scales);
  if (!y_scales_.empty() && std::ranges::find(y_scales_, home_y_.scale) == y_scales_.end())
    home_y_.scale = y_scales_.front();
}

void XyChart::set_y_scale(AxisScale scale) {
  if (scale == home_y_.scale) return;
  home_y_.scale = scale;
  home_changed();
  view_moved();
}

void XyChart::set_show_all(bool show_all) {
  if (show_all == show_all_) return;
  show_all_ = show_all;
  home_changed();
  view_moved();
}

void XyChart::home_changed() {}

void XyChart::set_lanes(std::vector<Lane> lanes) {
  lanes_ = std::move(lanes);
  invalidate();
}

void XyChart::set_strip_height(double pixels) {
  if (pixels == strip_height_) return;
  strip_height_ = pixels;
  invalidate();
}

void XyChart::set_shaded(const QString& label, std::vector<ShadedInterval> intervals) {
  if (label == shaded_label_ && intervals == shaded_) return;
  shaded_label_ = label;
  shaded_ = std::move(intervals);
  invalidate();
}

void XyChart::set_left_margin(std::optional<double> pixels) {
  left_margin_ = pixels;
  invalidate();
}

double XyChart::label_width(const Axis& y) const {
  double widest = lanes_.empty() ? 0 : text_width(QStringLiteral("W"), style::TextSize::Small);
  for (const Tick& tick : y_ticks(y, body_rect().height()))
    if (tick.major) widest = std::max(widest, text_width(tick.label, style::TextSize::Small));
  // Round up to the grid, so that the plot does not move when labels change slightly.
  return std::ceil((widest + tick_length + 4) / 8) * 8;
}

double XyChart::strip_room() const { return strip_height_ > 0 ? strip_height_ + lane_gap : 0; }

double XyChart::natural_left_margin() const { return label_width(y_axis()); }

void XyChart::set_cursors(std::optional<QPointF> a, std::optional<QPointF> b) {
  if (PlotCursors{a, b} == cursors_) return;
  cursors_ = {a, b};
  emit cursors_changed();
  update();
}

QSize XyChart::minimumSizeHint() const {
  const double line = text_height(style::TextSize::Small);
  const double lanes = static_cast<double>(lanes_.size()) * lane_height() + lane_gap + strip_room();
  const double left = left_margin_.value_or(natural_left_margin());
  return Chart::minimumSizeHint() +
         QSize(static_cast<int>(left) + 12, static_cast<int>(3 * line + tick_length + lanes + 8));
}

PlotFrame XyChart::frame_for(const QRectF& area) const {
  PlotFrame frame;
  frame.x = x_axis();
  frame.y = y_axis();
  const double line = text_height(style::TextSize::Small);
  const double lanes = lanes_.empty() ? 0 : static_cast<double>(lanes_.size()) * lane_height() + lane_gap;
  const double left = std::round(area.left() + left_margin_.value_or(label_width(frame.y)));
  const double bottom = std::round(area.bottom() - 2 * line - tick_length - lanes - strip_room());
  // The last label of x extends beyond the plot by half of its width.
  const double right = std::round(area.right() - 10);
  const double title_bottom = std::round(area.top() + line + 2);
  frame.head = head_height({right - left, bottom - title_bottom});
  const double top = title_bottom + frame.head;
  frame.plot = QRectF(left, top, std::max(1.0, right - left), std::max(1.0, bottom - top));
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
    frame.lanes.emplace_back(frame.plot.left(),
                             frame.plot.bottom() + lane_gap + lane_height() * static_cast<double>(lane),
                             frame.plot.width(), lane_height());
  const double lowest = frame.lanes.empty() ? frame.plot.bottom() : frame.lanes.back().bottom();
  if (strip_height_ > 0)
    frame.strip = QRectF(frame.plot.left(), lowest + lane_gap, frame.plot.width(), strip_height_);
  return frame;
}

void XyChart::paint_chart(Canvas& canvas, const QRectF& area) {
  const PlotFrame frame = frame_for(area);
  paint_x_grid(canvas, frame);
  paint_y_grid(canvas, frame, area.height());
  paint_shaded(canvas, frame);
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
  paint_lane_labels(canvas, frame);
  paint_around(canvas, frame);
}

void XyChart::paint_series(Canvas& canvas, const PlotFrame& frame, std::span<const PlotSeries> series) {
  plot_.paint(canvas, frame, series);
}

void XyChart::paint_lane_labels(Canvas& canvas, const PlotFrame& frame) const {
  for (std::size_t lane = 0; lane < frame.lanes.size(); ++lane) {
    const QRectF& row = frame.lanes[lane];
    const Ink ink = lanes_[lane].category ? category_ink(*lanes_[lane].category) : muted_ink();
    canvas.text({row.left() - tick_length - 2, row.center().y()}, lanes_[lane].label,
                {.ink = ink, .anchor = Qt::AlignRight | Qt::AlignVCenter, .bold = true});
    if (lane > 0) canvas.line(row.topLeft(), row.topRight(), thin_stroke(grid_ink()));
  }
}

void XyChart::paint_strip(Canvas&, const PlotFrame&) {}

/** Paints the intervals over the plot and the strip; each is at least one pixel wide. */
void XyChart::paint_shaded(Canvas& canvas, const PlotFrame& frame) const {
  for (const ShadedInterval& interval : shaded_) {
    const double left = std::max(frame.map_x(interval.x.low), frame.plot.left());
    const double right = std::min(std::max(frame.map_x(interval.x.high), left + 1), frame.plot.right());
    if (!(right > left)) continue;
    for (const QRectF& area : {frame.plot, frame.strip})
      if (!area.isEmpty()) canvas.rect(QRectF(left, area.top(), right - left, area.height()), shade_ink());
  }
}

void XyChart::paint_legend(Canvas& canvas, const PlotFrame& frame, std::vector<LegendEntry> entries) const {
  if (!shaded_.empty())
    entries.insert(entries.begin(), LegendEntry{shaded_label_, shade_ink(), LegendMark::UprightBar});
  paint_legend_line(canvas, frame, std::move(entries));
}

std::optional<Readout> XyChart::shaded_readout_at(QPointF position) const {
  const PlotFrame shown = frame();
  if (!shown.plot.contains(position) && !shown.strip.contains(position)) return std::nullopt;
  const double x = shown.x_at(position.x());
  const auto found =
      std::ranges::find_if(shaded_, [&](const ShadedInterval& interval) { return interval.x.contains(x); });
  if (found == shaded_.end()) return std::nullopt;
  return Readout{position, {found->text}};
}

void XyChart::paint_around(Canvas&, const PlotFrame&) {}

void XyChart::paint_plot_overlay(Canvas&, const PlotFrame&) {}

std::vector<qint64> XyChart::rows_in(const QRectF&) const { return {}; }

QString XyChart::cursor_difference() const { return difference_text(cursors_, home_x_, home_y_); }

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

void XyChart::zoom_around(const Zoom& zoom) {
  const Range home{valid_range(home_x_.range, home_x_.scale), valid_range(home_y_.range, home_y_.scale)};
  const std::optional<Range> next = zoomed(frame(), view_.current(), home, zoom);
  if (!next || *next == view_.current()) return;
  // All turns of the wheel in one interaction are one step of the history.
  if (interacting_ && !view_.at_home()) {
    view_.replace(*next);
  } else {
    view_.push(*next);
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
  zoom_around({.position = event->position(),
               .factor = std::pow(1.2, -delta / 120.0),
               .along_x = !only_y,
               .along_y = !only_x && (y_moves_ || only_y)});
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
  Range moved{part_of(shown.x, -along_x, 1 - along_x), part_of(shown.y, -along_y, 1 - along_y)};
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
