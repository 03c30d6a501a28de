#include "ui/widgets/category_swatch.h"

#include <QPainter>

#include "ui/charts/painter_canvas.h"

namespace kernelscape::widgets {

void paint_category_swatch(QPainter& painter, const QRectF& area, trial::ErrorCategory category) {
  // The hatch starts at the origin: translate, so that all swatches look the same.
  painter.save();
  painter.translate(area.topLeft());
  const QRectF whole(QPointF(), area.size());
  charts::PainterCanvas canvas(painter);
  canvas.push_clip(whole);
  static_cast<charts::Canvas&>(canvas).rect(whole, charts::category_fill(category));
  canvas.pop_clip();
  painter.restore();
}

}  // namespace kernelscape::widgets
