#pragma once

#include <optional>

#include "ui/charts/plot_frame.h"
#include "ui/charts/view_history.h"

namespace kernelscape::charts {

/** A step of zooming around a point of the widget. */
struct Zoom {
  QPointF position;   ///< stays where it is
  double factor = 1;  ///< of the visible range; below 1: zooms in
  bool along_x = true;
  bool along_y = true;
};

/**
 * Returns the view after a zoom; an axis that shows all of home is home again. nullopt: the view would be too
 * narrow.
 * @param home both ranges of the home axes
 */
std::optional<Range> zoomed(const PlotFrame& shown, const Range& view, const Range& home, const Zoom& zoom);
/** Returns the part of an axis between two fractions of the visible range. */
Interval part_of(const Axis& axis, double low, double high);
/** Returns true if a view of this range would show the rounding of numbers. */
bool too_narrow(const Interval& range);

}  // namespace kernelscape::charts
