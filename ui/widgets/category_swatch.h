#pragma once

#include <QRectF>

#include "core/trial/measurement.h"

class QPainter;

namespace kernelscape {

/** An error category's colour with its hatch, as the charts fill it. */
void paint_category_swatch(QPainter& painter, const QRectF& area, ErrorCategory category);

}  // namespace kernelscape
