#include "ui/charts/path_device.h"

#include <QPainter>
#include <QPainterPath>

namespace kernelscape::charts {

PathEngine::PathEngine(PathReceiver receiver)
    : QPaintEngine(QPaintEngine::AllFeatures), receiver_(std::move(receiver)) {}

void PathEngine::drawPath(const QPainterPath& path) {
  const QBrush& brush = painter()->brush();
  const QColor colour = brush.style() == Qt::NoBrush ? painter()->pen().color() : brush.color();
  const QList<QPolygonF> polygons = path.toSubpathPolygons(painter()->combinedTransform());
  for (const QPolygonF& polygon : polygons) receiver_(colour, polygon);
}

int PathDevice::metric(PaintDeviceMetric metric) const {
  constexpr int dots_per_inch = 96;
  switch (metric) {
    case PdmWidth:
      return size_.width();
    case PdmHeight:
      return size_.height();
    case PdmDpiX:
    case PdmDpiY:
    case PdmPhysicalDpiX:
    case PdmPhysicalDpiY:
      return dots_per_inch;
    case PdmDevicePixelRatio:
      return 1;
    case PdmDevicePixelRatioScaled:
      return static_cast<int>(devicePixelRatioFScale());
    default:  // sizes on paper and colours are only relevant to pixels
      return 0;
  }
}

}  // namespace kernelscape::charts
