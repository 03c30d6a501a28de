#include "ui/views/trials/category_swatch.h"

#include <QPainter>

#include "ui/charts/painter_canvas.h"

namespace kernelscape {

void paint_category_swatch(QPainter& painter, const QRectF& area, ErrorCategory category) {
  // The hatch starts at the origin: every swatch is to look the same.
  painter.save();
  painter.translate(area.topLeft());
  PainterCanvas canvas(painter);
  static_cast<Canvas&>(canvas).rect(QRectF(QPointF(), area.size()), category_fill(category));
  painter.restore();
}

}  // namespace kernelscape
