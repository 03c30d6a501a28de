#pragma once

#include <QPointF>
#include <optional>

#include "ui/charts/plot_frame.h"

namespace kernelscape::charts {

// What a chart with two axes paints over its plot: it follows the mouse and the keys.

/** The cursors A and B, in data coordinates; nullopt: not set. */
struct PlotCursors {
  std::optional<QPointF> a = {};
  std::optional<QPointF> b = {};

  bool operator==(const PlotCursors&) const = default;
};

/**
 * Returns the difference of both cursors; an axis with named places, which has none, is left out. Empty
 * without both cursors or without a difference.
 */
QString difference_text(const PlotCursors& cursors, const Axis& x, const Axis& y);
/** Paints the cursors, and a box with their values and the difference. */
void paint_cursors(Canvas& canvas, const PlotFrame& frame, const PlotCursors& cursors,
                   const QString& difference);
/** Paints a crosshair, and its values unless it stands on a readout, which shows them. */
void paint_crosshair(Canvas& canvas, const PlotFrame& frame, QPointF at, bool is_readout);
/** Paints the rectangle that is being drawn with the mouse. */
void paint_drag(Canvas& canvas, const QRectF& rectangle, const Ink& line);

}  // namespace kernelscape::charts
