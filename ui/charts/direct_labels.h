#pragma once

#include <cmath>
#include <vector>

#include "ui/charts/canvas.h"

namespace kernelscape::charts {

/** A label that belongs to a line at height y. */
struct DirectLabel {
  double y = 0;  ///< pixels
  QString text;
  Ink ink;
  bool bold = false;
  double left = HUGE_VAL;  ///< preferred left end of the label; it is used if there is room, otherwise the
                           ///< label stands at the border
};

/**
 * Returns heights at which labels of this height do not overlap, in the order of the labels. Each label stays
 * as near to its own height as possible; all lie within [top, bottom] if they fit.
 */
std::vector<double> spread_labels(const std::vector<double>& heights, double label_height, double top,
                                  double bottom);

/**
 * Paints the labels beside their lines without overlap, on a background that keeps them readable over data.
 * @param area that the labels may use
 * @param side Qt::AlignLeft or Qt::AlignRight: the border of the area at which the labels stand
 */
void paint_direct_labels(Canvas& canvas, const QRectF& area, Qt::Alignment side,
                         const std::vector<DirectLabel>& labels);

}  // namespace kernelscape::charts
