#include "ui/charts/plot_axes.h"

#include <algorithm>
#include <utility>

#include "ui/charts/plot_frame.h"
#include "ui/charts/zoom.h"

namespace kernelscape::charts {

void PlotAxes::set_home(Axis x, Axis y) {
  if (std::ranges::find(y_scales_, home_y_.scale) != y_scales_.end()) y.scale = home_y_.scale;
  home_x_ = std::move(x);
  home_y_ = std::move(y);
}

Axis PlotAxes::x() const {
  Axis axis = home_x_;
  axis.range = valid_range(history_.current().x.value_or(axis.range), axis.scale);
  return axis;
}

Axis PlotAxes::y() const {
  Axis axis = home_y_;
  axis.range = valid_range(history_.current().y.value_or(axis.range), axis.scale);
  return axis;
}

void PlotAxes::set_y_scales(std::vector<AxisScale> scales) {
  y_scales_ = std::move(scales);
  if (!y_scales_.empty() && std::ranges::find(y_scales_, home_y_.scale) == y_scales_.end())
    home_y_.scale = y_scales_.front();
}

bool PlotAxes::zoom_to(Interval x, Interval y) {
  if (too_narrow(x) || too_narrow(y)) return false;
  history_.push({valid_range(x, home_x_.scale), valid_range(y, home_y_.scale)});
  return true;
}

bool PlotAxes::zoom_x_to(Interval x) {
  if (too_narrow(x)) return false;
  history_.push({valid_range(x, home_x_.scale), history_.current().y});
  return true;
}

bool PlotAxes::zoom_around(const PlotFrame& shown, const Zoom& zoom, bool same_step) {
  const Range home{valid_range(home_x_.range, home_x_.scale), valid_range(home_y_.range, home_y_.scale)};
  const std::optional<Range> next = zoomed(shown, history_.current(), home, zoom);
  if (!next || *next == history_.current()) return false;
  if (same_step && !history_.at_home()) {
    history_.replace(*next);
  } else {
    history_.push(*next);
  }
  return true;
}

bool PlotAxes::back() {
  const bool possible = history_.can_go_back();
  history_.back();
  return possible;
}

bool PlotAxes::forward() {
  const bool possible = history_.can_go_forward();
  history_.forward();
  return possible;
}

bool PlotAxes::reset() {
  if (history_.at_home()) return false;
  history_.push(Range{});
  return true;
}

bool PlotAxes::show_last() {
  Range view = history_.current();
  if (!view.x) return false;
  const double high = valid_range(home_x_.range, home_x_.scale).high;
  view.x = Interval{high - view.x->span(), high};
  if (view == history_.current()) return false;
  history_.replace(view);
  return true;
}

void PlotAxes::move_y(Interval y) {
  Range view = history_.current();
  view.y = valid_range(y, home_y_.scale);
  history_.replace(view);
}

void PlotAxes::begin_pan() {
  pan_start_ = history_.current();
  panned_ = false;
}

void PlotAxes::pan(const PlotFrame& frame, QPointF way, bool y_moves) {
  Axis x = frame.x;
  Axis y = frame.y;
  if (pan_start_.x) x.range = *pan_start_.x;
  if (pan_start_.y) y.range = *pan_start_.y;
  const double along_x = way.x() / frame.plot.width();
  const double along_y = -way.y() / frame.plot.height();
  Range moved{part_of(x, -along_x, 1 - along_x), part_of(y, -along_y, 1 - along_y)};
  const bool only_x = !y_moves && !pan_start_.y;
  if (only_x) moved.y.reset();
  if (panned_) {
    history_.replace(moved);
    return;
  }
  // Axes that were not zoomed start with the ranges of home.
  pan_start_.x = x.range;
  if (!only_x) pan_start_.y = y.range;
  history_.push(moved);
  panned_ = true;
}

}  // namespace kernelscape::charts
