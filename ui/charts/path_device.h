#pragma once

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPolygonF>
#include <functional>

namespace kernelscape {

/** Takes what a painter was told to fill, with the brush's colour, or to stroke, with the pen's. The polygon
 * has the device's coordinates; it is closed where its last point is its first. */
using PathReceiver = std::function<void(const QColor& colour, const QPolygonF& polygon)>;

/** Hands every path to the receiver and paints nothing; clips, widths and everything but paths are left out.
 */
class PathEngine : public QPaintEngine {
 public:
  explicit PathEngine(PathReceiver receiver);

  bool begin(QPaintDevice*) override { return true; }
  bool end() override { return true; }
  void updateState(const QPaintEngineState&) override {}
  void drawPath(const QPainterPath& path) override;
  void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
  Type type() const override { return User; }

 private:
  PathReceiver receiver_;
};

/** What a QPainter paints on whose paths are wanted and not its pixels. */
class PathDevice : public QPaintDevice {
 public:
  /** @param size that it claims to have, in pixels of one to a logical one */
  PathDevice(QSize size, PathReceiver receiver) : size_(size), engine_(std::move(receiver)) {}

  QPaintEngine* paintEngine() const override { return &engine_; }

 protected:
  int metric(PaintDeviceMetric metric) const override;

 private:
  QSize size_;
  mutable PathEngine engine_;
};

}  // namespace kernelscape
