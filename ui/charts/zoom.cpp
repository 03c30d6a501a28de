#include "ui/charts/zoom.h"

#include <algorithm>
#include <cmath>

namespace kernelscape::charts {
namespace {

/** Narrower views would show the rounding of numbers. */
constexpr double min_relative_view = 1e-7;

bool covers(const Interval& outer, const Interval& inner) {
  const double slack = 1e-6 * inner.span();
  return outer.low <= inner.low + slack && outer.high >= inner.high - slack;
}

}  // namespace

Interval part_of(const Axis& axis, double low, double high) {
  return {axis.value_at(low), axis.value_at(high)};
}

bool too_narrow(const Interval& range) {
  return !(range.span() > min_relative_view * std::max(std::abs(range.low), std::abs(range.high)));
}

std::optional<Range> zoomed(const PlotFrame& shown, const Range& view, const Range& home, const Zoom& zoom) {
  const auto scaled_axis = [&zoom](const Axis& axis, double fraction) {
    return part_of(axis, fraction - fraction * zoom.factor, fraction + (1 - fraction) * zoom.factor);
  };
  Range next = view;
  const double x = std::clamp((zoom.position.x() - shown.plot.left()) / shown.plot.width(), 0.0, 1.0);
  const double y = std::clamp((shown.plot.bottom() - zoom.position.y()) / shown.plot.height(), 0.0, 1.0);
  if (zoom.along_x) next.x = scaled_axis(shown.x, x);
  if (zoom.along_y) next.y = scaled_axis(shown.y, y);
  if ((next.x && too_narrow(*next.x)) || (next.y && too_narrow(*next.y))) return std::nullopt;
  // Zoomed out beyond all data: go home.
  if (next.x && covers(*next.x, *home.x)) next.x.reset();
  if (next.y && covers(*next.y, *home.y)) next.y.reset();
  return next;
}

}  // namespace kernelscape::charts
