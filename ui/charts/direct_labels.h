#pragma once

#include <cmath>
#include <vector>

#include "ui/charts/canvas.h"

namespace kernelscape {

/** A label that belongs to a line at height y. */
struct DirectLabel {
  double y = 0;  ///< pixels
  QString text;
  Ink ink;
  bool bold = false;
  double left = HUGE_VAL;  ///< where it would rather begin than at the border, if there is room
};

/** Heights at which labels of this height do not overlap, each as near to its own as may be, all within [top,
 * bottom] where they fit; in the order of the labels. */
std::vector<double> spread_labels(const std::vector<double>& heights, double label_height, double top,
                                  double bottom);

/**
 * Paints the labels beside their lines without overlap, on a ground that keeps them readable over data.
 * @param area where they may stand
 * @param side Qt::AlignLeft or Qt::AlignRight: the border of the area at which they stand
 */
void paint_direct_labels(Canvas& canvas, const QRectF& area, Qt::Alignment side,
                         const std::vector<DirectLabel>& labels);

}  // namespace kernelscape
