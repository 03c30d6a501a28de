#include "ui/charts/xy_chart.h"

#include <QTimer>
#include <algorithm>
#include <cmath>

#include "ui/charts/legend_line.h"
#include "ui/charts/styles.h"
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
  if (a == cursor_a_ && b == cursor_b_) return;
  cursor_a_ = a;
  cursor_b_ = b;
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

void XyChart::paint_overlay(Canvas& canvas, const QRectF& area) {
  const PlotFrame frame = frame_for(area);
  {
    const ClipScope clip(canvas, frame.plot);
    paint_plot_overlay(canvas, frame);
    paint_band(canvas, frame);
  }
  paint_cursors(canvas, frame);
  if (drag_ == Drag::None) paint_crosshair(canvas, frame);
}

void XyChart::paint_band(Canvas& canvas, const PlotFrame&) const {
  if (!mouse_ || (drag_ != Drag::Zoom && drag_ != Drag::Select)) return;
  const QRectF band = QRectF(drag_start_, *mouse_).normalized();
  const Ink line = drag_ == Drag::Zoom ? accent_ink() : marked_ink();
  QColor faint = line.colour;
  faint.setAlphaF(0.12F);
  canvas.rect(band, Ink{"band", faint});
  canvas.outline(band, thin_stroke(line));
}

void XyChart::paint_crosshair(Canvas& canvas, const PlotFrame& frame) const {
  std::optional<QPointF> at = mouse_;
  if (readout()) at = readout()->position;
  if (!at || !frame.plot.contains(*at)) return;
  const Stroke stroke{muted_ink(), 1, {2, 2}};
  canvas.line({at->x(), frame.plot.top()}, {at->x(), frame.plot.bottom()}, stroke);
  canvas.line({frame.plot.left(), at->y()}, {frame.plot.right(), at->y()}, stroke);
  canvas.ring(*at, 5, {text_ink(), readout() ? 1.5 : 0.0, {}});
  // Do not repeat values that the readout shows.
  if (readout()) return;
  const QString values =
      frame.x.text(frame.x_at(at->x())) + QStringLiteral("   ") + frame.y.text(frame.y_at(at->y()));
  const double width = text_width(values, style::TextSize::Small) + 8;
  const QRectF chip(frame.plot.right() - width, frame.plot.top() - text_height(style::TextSize::Small) - 1,
                    width, text_height(style::TextSize::Small));
  canvas.rect(chip, surface_ink());
  canvas.text({chip.right() - 4, chip.center().y()}, values,
              {.ink = text_ink(), .anchor = Qt::AlignRight | Qt::AlignVCenter});
}

QString XyChart::cursor_difference() const {
  if (!cursor_a_ || !cursor_b_) return {};
  const QPointF difference = *cursor_b_ - *cursor_a_;
  QStringList parts;
  if (home_x_.named.empty()) parts.append(home_x_.text(difference.x()));
  if (home_y_.named.empty()) {
    parts.append(home_y_.text(difference.y()));
    if (cursor_a_->y() > 0)
      parts.last() += QStringLiteral("   (%1 x)").arg(style::format_number(cursor_b_->y() / cursor_a_->y()));
  }
  return parts.isEmpty() ? QString() : QStringLiteral("B - A   ") + parts.join(QStringLiteral(", "));
}

void XyChart::paint_cursors(Canvas& canvas, const PlotFrame& frame) const {
  QStringList lines;
  const auto values = [&](QPointF cursor) {
    return frame.x.text(cursor.x()) + QStringLiteral(", ") + frame.y.text(cursor.y());
  };
  const auto paint = [&](const QPointF& cursor, const QString& name) {
    const QPointF at = frame.map(cursor.x(), cursor.y());
    const Stroke stroke{marked_ink(), 1, {}};
    const ClipScope clip(canvas, frame.plot);
    canvas.line({at.x(), frame.plot.top()}, {at.x(), frame.plot.bottom()}, stroke);
    canvas.line({frame.plot.left(), at.y()}, {frame.plot.right(), at.y()}, stroke);
    canvas.text({at.x() + 3, frame.plot.top() + 2}, name,
                {.ink = marked_ink(), .anchor = Qt::AlignLeft | Qt::AlignTop, .bold = true});
    lines.append(name + QStringLiteral("   ") + values(cursor));
  };
  if (cursor_a_) paint(*cursor_a_, QStringLiteral("A"));
  if (cursor_b_) paint(*cursor_b_, QStringLiteral("B"));
  if (lines.isEmpty()) return;
  if (cursor_a_ && cursor_b_) {
    if (const QString difference = cursor_difference(); !difference.isEmpty()) lines.append(difference);
  }
  double width = 0;
  for (const QString& text : lines) width = std::max(width, text_width(text, style::TextSize::Small));
  const double line = text_height(style::TextSize::Small);
  const QSizeF size(width + 12, line * static_cast<double>(lines.size()) + 8);
  const QRectF box(frame.plot.bottomRight() - QPointF(size.width() + 4, size.height() + 4), size);
  canvas.rect(box, surface_ink());
  canvas.outline(box, thin_stroke(hairline_ink()));
  for (qsizetype index = 0; index < lines.size(); ++index)
    canvas.text({box.left() + 6, box.top() + 4 + line * (static_cast<double>(index) + 0.5)}, lines[index],
                {.ink = text_ink()});
}

}  // namespace kernelscape::charts
