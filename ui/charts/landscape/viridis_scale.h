#pragma once

#include "ui/charts/canvas.h"

namespace kernelscape::charts {

/**
 * Returns a colour of viridis in steps, so that a chart has few different inks. @param t clamped to [0, 1]
 */
Ink viridis_ink(double t);

/** Returns black or white, whichever is readable on `viridis_ink(t)`. */
Ink on_viridis_ink(double t);

/** The width of the bar that shows the scale beside a plot. */
constexpr double viridis_bar_width = 14;

/** Paints the scale, 0 at the bottom and 1 at the top. */
void paint_viridis_bar(Canvas& canvas, const QRectF& bar);

}  // namespace kernelscape::charts
