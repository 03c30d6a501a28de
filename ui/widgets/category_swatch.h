#pragma once

#include <QRectF>

#include "core/trial/measurement.h"

class QPainter;

namespace kernelscape::widgets {

/** Paints an error category's colour with its hatch, as in the charts. */
void paint_category_swatch(QPainter& painter, const QRectF& area, trial::ErrorCategory category);

}  // namespace kernelscape::widgets
